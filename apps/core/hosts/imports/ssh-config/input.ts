import { ServerInput } from '../../../model/server.ts';

type Address = Pick<ServerInput, 'name' | 'hostname' | 'port' | 'username' | 'group'>;

/** Without stored credentials: users are prompted until an administrator stores some. Undefined if it would be refused. */
export function promptedInput(fields: Address): ServerInput | undefined {
  return ServerInput.safeParse({ ...fields, auth_method: 'prompt' }).data;
}
