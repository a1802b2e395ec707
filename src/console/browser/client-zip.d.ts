/** Served by `../serve.ts`, from the package. */
export { downloadZip } from 'client-zip';
