import { z } from '@hono/zod-openapi';
import {
  HostKeyImport,
  ImportedHostKeys,
  ImportedServers,
  ServerExport,
  ServerImport,
  SshConfigImport,
} from '#core/model/server-transfer.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal } from '../shapes.ts';

const refusals = {
  409: refusal('The jump hosts form a cycle, or lie too deep'),
  413: refusal('The body is too large'),
};

export const exportServers = defineRoute({
  operationId: 'servers.export',
  method: 'get',
  path: '/api/servers/export',
  tags: ['servers'],
  summary: 'All servers, without credentials',
  description: 'What `POST /api/servers/import` takes, once it is put into `{"servers": …}`. Audited.',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(z.array(ServerExport), 'Ordered by name') },
});

export const importServers = defineRoute({
  operationId: 'servers.import',
  method: 'post',
  path: '/api/servers/import',
  tags: ['servers'],
  summary: 'Add servers from an export',
  description:
    'All or nothing. Each object is a new server, with the defaults of `POST /api/servers`; other keys are ignored. ' +
    'Credentials may be given as there. A jump host is found by `jump_via_name`, in the file first and then in the ' +
    'registry, else by the name that `jump_via_id` has inside the file, else it is left out with a warning. At most 5,000 ' +
    'servers, and 200 warnings.',
  'x-access': 'admin',
  'x-scope': 'admin',
  'x-body-limit': 8,
  request: { body: body(ServerImport) },
  responses: { 201: json(ImportedServers, 'Added'), ...refusals },
});

export const importSshConfig = defineRoute({
  operationId: 'servers.import_ssh_config',
  method: 'post',
  path: '/api/servers/import/ssh-config',
  tags: ['servers'],
  summary: 'Add servers from an OpenSSH client configuration',
  description:
    'All or nothing. Reads `Host`, `HostName`, `Port`, `User` and `ProxyJump` as `ssh` does (the first value wins, patterns ' +
    'apply); each `Host` without wildcards becomes a server. `Match` and `Include` are left out, and so are keys: each ' +
    'with a warning. The servers ask for user name and password at connect until a credential is stored. At most 5,000 ' +
    'servers, jump hosts that ProxyJump names included; names and patterns of at most 255 characters.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { body: body(SshConfigImport) },
  responses: { 201: json(ImportedServers, 'Added'), ...refusals },
});

export const importHostKeys = defineRoute({
  operationId: 'servers.import_host_keys',
  method: 'post',
  path: '/api/servers/host-keys/import',
  tags: ['servers'],
  summary: 'Pin host keys from a `known_hosts` file',
  description:
    'For servers that have no pinned key yet; a different pinned key is never replaced, but warned about. Hashed host ' +
    'names are matched; certificate authorities and revoked keys are left out with a warning.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { body: body(HostKeyImport) },
  responses: { 201: json(ImportedHostKeys, 'What is pinned now') },
});
