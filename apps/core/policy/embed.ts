import { Fault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { EmbedBounds, EmbedKind } from '../model/embed.ts';
import type { Server } from '../model/hosts/server.ts';

/** Which embedded sessions a route admits. */
export interface EmbedDemand {
  readonly kind: EmbedKind | 'any';
  /** Refused in the mode `ro`. */
  readonly writes?: true;
}

/** The gate on embedded sessions: what a route does not declare is refused. */
export function assertEmbedAdmitted({ kind, mode }: EmbedBounds, demand: EmbedDemand | undefined): void {
  if (!demand || (demand.kind !== 'any' && demand.kind !== kind)) throw new Fault('embed_refused');
  if (demand.writes && mode === 'ro') throw new Fault('embed_read_only');
}

/** First line of verbs that no embedded session may use, whichever route called them. */
export function assertUnbounded({ bounds }: Pick<Caller, 'bounds'>): void {
  if (bounds) throw new Fault('embed_refused');
}

/** The server as an embedded session may use it: every rule that reads its switches refuses the rest. */
export function withinBounds<T extends BoundedFields>(bounds: EmbedBounds, server: T): T {
  const { kind, mode } = bounds;
  return {
    ...server,
    ssh_enabled: server.ssh_enabled && kind === 'terminal',
    sftp_enabled: server.sftp_enabled && kind === 'files',
    sftp_read_only: server.sftp_read_only || mode === 'ro',
    agent_enabled: false,
  };
}

export type BoundedFields = Pick<
  Server,
  'id' | 'group' | 'ssh_enabled' | 'sftp_enabled' | 'sftp_read_only' | 'agent_enabled'
>;
