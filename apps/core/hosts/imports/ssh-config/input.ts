import { Fault } from '../../../errors.ts';
import { ServerInput } from '../../../model/server.ts';

type Address = Pick<ServerInput, 'name' | 'hostname' | 'port' | 'username' | 'group'>;

/** Without stored credentials: users are prompted until an administrator stores some. */
export function promptedInput(fields: Address): ServerInput {
  const parsed = ServerInput.safeParse({ ...fields, auth_method: 'prompt' });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    path: [fields.name, ...path].map(String).join('.'),
    message,
  }));
  const [first] = errors;
  throw new Fault('validation', `${first?.path}: ${first?.message}`, { errors });
}
