import type { Server } from '../../../apps/web/servers/servers.ts';

export type ServerFields = Partial<Server>;

/** A server as the page knows it. */
export function serverWith(fields: ServerFields): Server {
  const { id = 1, name = `server-${id}` } = fields;
  return {
    id,
    name,
    hostname: `10.1.0.${id}`,
    port: 22,
    username: 'root',
    auth_method: 'password',
    group: '',
    tags: [],
    description: '',
    jump_via_id: null,
    ssh_enabled: true,
    sftp_enabled: true,
    sftp_read_only: false,
    sftp_allowed_paths: [],
    algorithms: 'default',
    terminal_type: 'xterm-256color',
    terminal_encoding: 'utf-8',
    record_sessions: null,
    agent_enabled: false,
    has_password: true,
    has_private_key: false,
    host_key_fingerprint: '',
    announced_host_keys: [],
    last_connected_at: null,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...fields,
  };
}
