// @ts-nocheck: n8n's packages are installed for the run only
/*
 * Runs one node of a community package as n8n does: its loader, its engine, its store of binary data. Reads the run
 * from standard input, and writes what came of it.
 */
require('reflect-metadata');
const { Container } = require('@n8n/di');
const core = require('n8n-core');
const { createRunExecutionData, Workflow } = require('n8n-workflow');
const { json } = require('node:stream/consumers');

const LOCATION = { type: 'execution', workflowId: '1', executionId: '1' };

async function main() {
  const { folder, parameters, credentials, items, onError } = await json(process.stdin);
  const binaries = Container.get(core.BinaryDataService);
  await binaries.init();
  const loader = new core.PackageDirectoryLoader(folder);
  await loader.loadAll();
  const { type } = loader.getNode('selvage');
  const node = {
    id: '1',
    name: 'Selvage',
    type: `${loader.packageName}.selvage`,
    typeVersion: 1,
    position: [0, 0],
    parameters,
    credentials: { selvageApi: { id: '1', name: 'Test' } },
    onError,
  };
  const nodeTypes = {
    getByName: () => type,
    getByNameAndVersion: () => type,
    getKnownTypes: () => ({}),
  };
  const workflow = new Workflow({
    id: '1',
    nodes: [node],
    connections: {},
    active: false,
    nodeTypes,
  });
  const input = [];
  for (const { base64, ...item } of items) {
    const about = { mimeType: 'image/jpeg', fileName: 'photo.jpg' };
    const data = base64 && (await binaries.store(LOCATION, Buffer.from(base64, 'base64'), about));
    input.push({ json: item, ...(data && { binary: { data } }) });
  }
  const execution = createRunExecutionData({
    executionData: { nodeExecutionStack: [{ node, data: { main: [input] }, source: null }] },
  });
  const additionalData = {
    executionId: '1',
    currentNodeExecutionIndex: 0,
    hooks: new core.ExecutionLifecycleHooks('manual', '1', { id: '1', name: 'Test' }),
    credentialsHelper: {
      isCredentialUsableByNode: () => true,
      getDecrypted: async () => credentials,
      getParentTypes: () => [],
    },
    setExecutionStatus() {},
    webhookWaitingBaseUrl: 'http://n8n.test/webhook-waiting',
    formWaitingBaseUrl: 'http://n8n.test/form-waiting',
  };
  const run = await new core.WorkflowExecute(
    additionalData,
    'manual',
    execution,
  ).processRunExecutionData(workflow);
  const { error, runData } = run.data.resultData;
  const outputs = [];
  for (const output of runData.Selvage?.[0]?.data?.main ?? []) {
    const rows = [];
    for (const { json: value, binary, pairedItem } of output ?? []) {
      const stored = binary?.data;
      const bytes = stored && (await binaries.getAsBuffer(stored));
      rows.push({
        json: value,
        pairedItem,
        ...(stored && {
          mimeType: stored.mimeType,
          isStored: Boolean(stored.id),
          base64: bytes.toString('base64'),
        }),
      });
    }
    outputs.push(rows);
  }
  const failure = error && {
    name: error.name,
    message: error.message,
    description: error.description,
    item: error.context?.itemIndex,
  };
  const { description } = type;
  const credential = loader.getCredential('selvageApi').type;
  process.stdout.write(
    JSON.stringify({ status: run.status, failure, outputs, description, credential }),
  );
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
