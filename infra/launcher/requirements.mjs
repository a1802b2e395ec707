// @ts-check
import { StartError } from './start-error.mjs';

const MIN_NODE = [20, 19];

/**
 * Throws `StartError` if Selvage cannot run on this machine.
 * @param {object} machine
 * @param {string} machine.nodeVersion such as 20.19.0
 * @param {NodeJS.Platform} machine.platform
 * @param {string | undefined} machine.glibcVersion undefined: its programs use another C library
 */
export function checkRequirements({ nodeVersion, platform, glibcVersion }) {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = MIN_NODE;
  if (major < minMajor || (major === minMajor && minor < minMinor)) {
    throw new StartError(
      `Selvage needs Node.js ${MIN_NODE.join('.')} or newer; this is ${nodeVersion}.`,
    );
  }
  if (platform === 'linux' && glibcVersion === undefined) {
    throw new StartError(
      'Selvage needs a Linux with glibc; this one has another C library, probably musl (Alpine), for which ONNX Runtime ' +
        'has no build.\nUse Debian, Ubuntu or Fedora, or the images: docker compose up --build.',
    );
  }
}

/** Reads what `checkRequirements` needs of this process. */
export function thisMachine() {
  // Looking up the names of peers takes seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  return {
    nodeVersion: process.versions.node,
    platform: process.platform,
    glibcVersion: report.header.glibcVersionRuntime,
  };
}
