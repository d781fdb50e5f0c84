import { z } from '@hono/zod-openapi';
import { RevokedHostKey } from '#core/model/hosts/revoked-host-key.ts';
import {
  HostKeyImport,
  ImportedHostKeys,
  ImportedServers,
  ServerExport,
  ServerImport,
  SshConfigImport,
} from '#core/model/hosts/server-transfer.ts';
import { defineRoute } from '../define.ts';
import { body, json, pathId } from '../shapes.ts';

export const exportServers = defineRoute({
  operationId: 'servers.export',
  method: 'get',
  path: '/api/servers/export',
  tags: ['servers'],
  summary: 'Export all servers, without credentials',
  description: 'Wrap the array as `{"servers": …}` for `POST /api/servers/import`. Audited.',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(z.array(ServerExport), 'Ordered by name') },
});

export const importServers = defineRoute({
  operationId: 'servers.import',
  method: 'post',
  path: '/api/servers/import',
  tags: ['servers'],
  summary: 'Import servers from an export',
  description:
    'All or nothing. Each object becomes a new server, with the defaults of `POST /api/servers`; ' +
    'unknown keys are ignored, and credentials may be included. A jump host is found by ' +
    '`jump_via_name`, first in the file and then in the registry; otherwise by the name that ' +
    '`jump_via_id` has inside the file; otherwise it is left out with a warning. At most 5,000 ' +
    'servers and 200 warnings.',
  'x-access': 'admin',
  'x-scope': 'admin',
  'x-body-limit': 8,
  request: { body: body(ServerImport) },
  refuses: [
    'jump_cycle',
    'jump_too_deep',
    'jump_host_unknown',
    'too_many_imports',
    'unreadable_private_key',
    'too_many_key_jobs',
  ],
  responses: { 201: json(ImportedServers, 'Added') },
});

export const importSshConfig = defineRoute({
  operationId: 'servers.import_ssh_config',
  method: 'post',
  path: '/api/servers/import/ssh-config',
  tags: ['servers'],
  summary: 'Import servers from an OpenSSH client configuration',
  description:
    'Reads `Host`, `HostName`, `Port`, `User` and `ProxyJump` as `ssh` does (the first value wins, ' +
    'patterns apply); each `Host` without wildcards becomes a server. `ProxyCommand ssh -W` in its usual ' +
    'forms is a jump host. A host that cannot become a server, that jumps through itself, or that another ' +
    'command reaches is left out with a warning that names the line; so are the hosts that jump through ' +
    'it. With `hosts`, the others are not judged. `Match`, ' +
    '`Include` and keys are skipped, each with a warning. The servers ask for username and password ' +
    'at connect until a credential is stored. At most 5,000 servers, including jump hosts named by ' +
    'ProxyJump; names and patterns of at most 255 characters.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { body: body(SshConfigImport) },
  refuses: ['jump_cycle', 'jump_too_deep', 'jump_host_unknown', 'too_many_imports'],
  responses: { 201: json(ImportedServers, 'Added') },
});

export const importHostKeys = defineRoute({
  operationId: 'servers.import_host_keys',
  method: 'post',
  path: '/api/servers/host-keys/import',
  tags: ['servers'],
  summary: 'Pin host keys from a `known_hosts` file',
  description:
    'For servers without a pinned key. An existing pin is never replaced; a different key is ' +
    'reported as a warning. Hashed host names are matched. Certificate authorities are skipped with a ' +
    'warning. Keys that are marked as `@revoked` are kept: a host that presents one is refused ' +
    '(`host_key_revoked`), whatever is pinned. A new pin of a server with a stored credential needs a fresh session ' +
    '(403 `step_up_required`; 422 `credential_required` for an API key).',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { body: body(HostKeyImport) },
  refuses: ['step_up_required', 'credential_required', 'too_many_imports'],
  responses: { 201: json(ImportedHostKeys, 'The keys that were pinned') },
});

export const listRevokedHostKeys = defineRoute({
  operationId: 'servers.revoked_host_keys',
  method: 'get',
  path: '/api/servers/host-keys/revoked',
  tags: ['servers'],
  summary: 'List the host keys that are refused',
  description: 'From `@revoked` lines of imported `known_hosts` files; at most 10,000.',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(z.array(RevokedHostKey), 'Oldest first') },
});

export const removeRevokedHostKey = defineRoute({
  operationId: 'servers.remove_revoked_host_key',
  method: 'delete',
  path: '/api/servers/host-keys/revoked/{id}',
  tags: ['servers'],
  summary: 'Accept a revoked host key again',
  description: 'For the hosts of this entry. Only a person can do this, with a fresh session. Audited.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: z.object({ id: pathId }) },
  refuses: ['revoked_host_key_not_found'],
  responses: { 204: { description: 'Accepted again' } },
});
