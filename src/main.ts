import manifest from '../package.json' with { type: 'json' };
import { gatewayRoutes, gatewayServer, openLook, serveOwnMetrics } from './api/gateway-server.ts';
import { openGateway, watchInstallation } from './gateway.ts';
import { readConfig } from './platform/config.ts';
import { openPlatform } from './platform/open-platform.ts';
import { stopOnSignal } from './platform/shutdown.ts';
import { endStart } from './platform/start-error.ts';
import { openServices } from './services.ts';

const { version } = manifest;

/** What the shut-down may take beyond the deadline of the last waiting request. */
const STOP_MARGIN_MILLIS = 5000;

/** Opens the gateway, serves, and drains on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const platform = await openPlatform({ process: 'gateway', config, version });
  const services = await openServices(config, platform);
  const gateway = await openGateway(config, platform, services);
  watchInstallation(platform.registry, gateway);
  const look = openLook(config, platform, gateway);
  const routes = gatewayRoutes(config, platform, gateway, look);
  const server = gatewayServer(config, platform, gateway, routes);

  const metricsServer = await serveOwnMetrics(config, platform);
  const url = await server.app.listen({ host: config.HOST, port: config.PORT });
  const metricsAddress = metricsServer?.address();
  const { log } = platform;
  log.info({ url, metricsAddress, version, store: config.STORE }, 'gateway ready');

  // Every waiting request is answered within the deadline.
  stopOnSignal(async (signalName) => {
    log.info({ signalName, waiting: gateway.jobWaiter.waiting() }, 'gateway drains');
    server.drain();
    await server.app.close();
    metricsServer?.close();
    await look.close();
    await gateway.close();
    await platform.stopTracing();
    log.info('gateway stopped');
  }, gateway.deadlineMillis + STOP_MARGIN_MILLIS);
}

main().catch(endStart);
