import type { Tickets } from '../accounts/tickets.ts';
import type { Tokens } from '../accounts/tokens.ts';
import type { WebSessions } from '../accounts/web-sessions.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Reach } from '../hosts/reach.ts';
import { toJob } from '../lifecycle.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { createEmbedding, type Embedding, type EmbeddingOptions } from './embedding.ts';
import { startEmbedExpiry } from './expiry.ts';
import { createEmbedSessions } from './sessions.ts';

export interface EmbeddingServices {
  readonly embedding: Embedding;
}

export interface EmbeddingPorts {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'api_keys' | 'users' | 'servers'>;
  readonly clock: Clock;
  readonly background: Background;
}

interface Deps {
  readonly tokens: Tokens;
  readonly tickets: Tickets;
  readonly web_sessions: WebSessions;
  readonly reach: Reach;
  readonly settings: InForce<'max_embeds_per_user' | 'allowed_origins' | 'frame_ancestors'>;
  readonly trail: AuditTrail;
}

export function createEmbeddingFeature(ports: EmbeddingPorts, deps: Deps, options: EmbeddingOptions) {
  const { repositories, clock, background } = ports;
  const { tokens, tickets, web_sessions, reach, settings, trail } = deps;
  const sessions = createEmbedSessions({ repositories, tokens, settings, clock });
  const services: EmbeddingServices = {
    embedding: createEmbedding({ sessions, web_sessions, tickets, reach, trail, settings }, options),
  };
  const expiry = toJob('end expired embedded sessions', () =>
    startEmbedExpiry({ repositories, trail, clock, background }),
  );
  return { services, jobs: [expiry] };
}
