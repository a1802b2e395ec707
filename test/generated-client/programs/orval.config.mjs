/** The address of the service is part of what orval generates. */
const { DOCUMENT = '', SELVAGE_URL = '' } = process.env;

// biome-ignore lint/style/noDefaultExport: orval reads the default export
export default {
  selvage: {
    input: DOCUMENT,
    output: { target: 'orval/api.ts', client: 'fetch', baseUrl: SELVAGE_URL },
  },
};
