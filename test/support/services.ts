import { randomUUID } from 'node:crypto';
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';

/** A real S3 server, with credentials that may create buckets. */
export interface TestS3 {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  stop(): Promise<void>;
}

/** The image of docker-compose.yml: one container, no configuration. */
const S3_IMAGE = 'chrislusf/seaweedfs:4.48';
const S3_PORT = 8333;

/** Whether a container engine responds; a program `docker` alone starts nothing. */
export const hasEngine = (): Promise<boolean> =>
  getContainerRuntimeClient().then(
    () => true,
    () => false,
  );

/**
 * Returns the S3 server of `AWS_ENDPOINT_URL_S3`, else one in a container if a container engine responds,
 * else the reason why there is none.
 */
export async function testS3(): Promise<TestS3 | string> {
  const { AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: region = 'us-east-1' } = process.env;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (endpoint) {
    if (!accessKeyId || !secretAccessKey) return 'AWS_ENDPOINT_URL_S3 is set without credentials';
    return {
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      stop: async () => {},
    };
  }
  if (!(await hasEngine()))
    return 'no S3: AWS_ENDPOINT_URL_S3 is not set and no container engine answers';
  return s3InContainer().catch((error) => `no S3: ${S3_IMAGE} does not start (${error.message})`);
}

async function s3InContainer(): Promise<TestS3> {
  const credentials = { accessKeyId: 'test', secretAccessKey: randomUUID() };
  const container = await new GenericContainer(S3_IMAGE)
    .withCommand(['mini', '-dir=/data'])
    .withEnvironment({
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    })
    .withExposedPorts(S3_PORT)
    .withWaitStrategy(Wait.forHttp('/healthz', S3_PORT))
    .start();
  return {
    endpoint: `http://${container.getHost()}:${container.getMappedPort(S3_PORT)}`,
    region: 'us-east-1',
    credentials,
    stop: async () => void (await container.stop()),
  };
}
