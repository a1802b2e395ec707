import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

/** A gateway and a key of it. */
export class SelvageApi implements ICredentialType {
  readonly name = 'selvageApi';
  readonly displayName = 'Selvage API';
  readonly icon = 'file:../selvage.svg' as const;
  readonly properties: INodeProperties[] = [
    {
      displayName: 'Address',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://gateway.example',
    },
    {
      displayName: 'Key',
      name: 'key',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ];
  readonly authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { authorization: '=Bearer {{$credentials.key}}' } },
  };
  readonly test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl}}', url: '/intake/v1/usage' },
  };
}
