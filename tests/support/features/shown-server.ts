import { ServerFields } from '#core/model/hosts/server.ts';
import type { Server } from '../../../apps/web/servers/servers.ts';

export type ShownFields = Partial<Server>;

/** A server as the page knows it. */
export function serverWith(fields: ShownFields): Server {
  const { id = 1, name = `server-${id}` } = fields;
  return {
    id,
    ...ServerFields.parse({ name, hostname: `10.1.0.${id}`, username: 'root' }),
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
