import { ServerFields } from '#core/model/hosts/server.ts';
import { CONNECTION } from './connection.ts';
import { AT, FINGERPRINT, HOST_KEY, LATER } from './times.ts';

const input = {
  name: 'web-1',
  hostname: 'web-1.example',
  port: 22,
  username: 'deploy',
  auth_method: 'password',
  group: 'web',
  tags: ['production'],
};
const server = {
  id: 1,
  ...ServerFields.parse({ ...input, description: 'Front end', sftp_allowed_paths: ['/srv'] }),
  has_password: true,
  has_private_key: false,
  host_key_fingerprint: FINGERPRINT,
  announced_host_keys: [],
  key_exchange: CONNECTION.key_exchange,
  server_version: CONNECTION.server_version,
  is_post_quantum: CONNECTION.is_post_quantum,
  last_connected_at: AT,
  created_at: AT,
  updated_at: AT,
};
const status = {
  status: 'online',
  last_checked: AT,
  offline_since: null,
  latency_ms: 12,
  error: null,
  error_code: null,
};
const stage = {
  name: 'tcp',
  hop: 'web-1',
  ok: true,
  ms: 3,
  detail: 'Connected to 192.0.2.10:22',
  code: 'connected',
  values: { address: '192.0.2.10:22' },
};
const test = {
  ...{ success: true, message: 'Connection successful', code: null, stages: [stage] },
  connection: [CONNECTION],
};

export const SERVERS = {
  Server: server,
  ServerInput: { ...input, password: 'correct horse battery staple' },
  ServerPatch: { description: 'Front end', sftp_allowed_paths: ['/srv'] },
  ServerExport: { ...server, jump_via_name: null },
  ImportedServer: { ...input, jump_via_name: 'bastion' },
  ServerImport: { servers: [input] },
  ImportedServers: { created: [server], warnings: [], warning_phrases: [] },
  SshConfigImport: { text: 'Host web-1\n  HostName web-1.example\n  User deploy\n', group: 'web' },
  HostKeyImport: { text: `web-1.example ${HOST_KEY}\n` },
  ImportedHostKeys: {
    pinned: [{ server_id: 1, name: 'web-1', fingerprint: FINGERPRINT }],
    unchanged: 0,
    warnings: [],
    warning_phrases: [],
  },
  RevokedHostKey: { id: 3, names: 'web-1.example', fingerprint: FINGERPRINT, created_at: LATER },
  HostKeyInput: { host_key: HOST_KEY },
  AcceptedHostKey: { pinned: FINGERPRINT, cleared: '' },
  ClearedHostKey: { cleared: FINGERPRINT },
  ServerStatus: status,
  ServerStatuses: { 1: status },
  ConnectionTest: test,
  HopConnection: CONNECTION,
  ConnectionTestEvent: { type: 'stage', stage },
  QuickHostKey: { id: 4, hostname: 'web-1.example', port: 22, fingerprint: FINGERPRINT, created_at: LATER },
};
