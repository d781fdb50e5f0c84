import type { Fault } from '../errors.ts';

const GONE: readonly Fault['code'][] = ['host_disconnected', 'operation_timeout', 'shutting_down'];

/** Further requests on this connection would fail as well. */
export function isHostGone({ code }: Pick<Fault, 'code'>): boolean {
  return GONE.includes(code);
}
