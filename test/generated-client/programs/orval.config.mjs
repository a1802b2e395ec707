/** The address of the service is part of what orval generates. */
const { DOCUMENT = '', SELVAGE_URL = '' } = process.env;

export default {
  selvage: {
    input: DOCUMENT,
    output: { target: 'orval/api.ts', client: 'fetch', baseUrl: SELVAGE_URL },
  },
};
