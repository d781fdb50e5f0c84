import type { AuditTrail } from '../audit/trail.ts';
import { every } from '../lib/time/timers.ts';
import type { WebSessionRow } from '../model/accounts/web-session.ts';
import { embedLabel } from '../model/embed.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';

const INTERVAL_MS = 60_000;

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'users' | 'servers'>;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly background: Background;
}

/** Removes embedded sessions that were not renewed, and records their end; the returned function stops it. */
export function startEmbedExpiry({ repositories, trail, clock, background }: Deps): () => void {
  const { web_sessions, users, servers } = repositories;

  async function record({ user_id, ip_address, embed }: WebSessionRow): Promise<void> {
    const user = await users.byId(user_id);
    if (!user || !embed) return;
    const server = await servers.byId(embed.server_id);
    const actor = { user_id, username: user.username, ip_address, via: null };
    await trail.record(actor, 'embed_end', `${embedLabel(embed, server?.name)}: expired`);
  }

  async function sweep(): Promise<void> {
    for (const row of await web_sessions.takeExpiredEmbeds(clock.now().toISOString())) await record(row);
  }
  return every(clock.after, INTERVAL_MS, () => background.run('end expired embedded sessions', sweep()));
}
