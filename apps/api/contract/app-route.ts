import type { RouteConfig } from '@hono/zod-openapi';
import type { FaultCode } from '#core/errors.ts';
import type { Scope } from '#core/model/accounts/api-key.ts';
import type { Access, Allowance, Demand } from '#core/policy/actions.ts';
import type { EmbedDemand } from '#core/policy/embed.ts';

export interface RouteRate {
  readonly name: string;
  readonly limit: number;
  readonly window_s: number;
  readonly by: 'ip' | 'user';
}

interface Guarded {
  readonly 'x-access': Access;
  /** Scope that an API key needs; `session`: API keys are refused; `any`: the verb asks. A route without it does not compile. */
  readonly 'x-scope': Scope | 'session' | 'any';
  readonly 'x-fresh'?: never;
}

/** What outlasts a session: wants one that was signed in to, or confirmed by a step-up, recently. */
interface Fresh {
  readonly 'x-access': Access;
  readonly 'x-scope': 'session';
  readonly 'x-fresh': true;
}

interface Open {
  readonly 'x-access': 'public';
  readonly 'x-scope'?: never;
  readonly 'x-fresh'?: never;
}

/**
 * How requests of one user share a route's resources. `answer`: made at once and sent as a whole. `files`: waits for a
 * host. `transfer`: moves content to or on a host. `stream`: sends content at the pace of the client. `own`: the verb has
 * limits of its own.
 */
export type TurnKind = 'answer' | 'files' | 'transfer' | 'stream' | 'own';

/** What the gates enforce, declared next to the path. */
export type RoutePolicy = (Guarded | Fresh | Open) & {
  /** Exemptions from the gates. */
  readonly 'x-allow'?: readonly Allowance[];
  /** Modes in which the route is closed to everybody. */
  readonly 'x-deny'?: readonly 'demo'[];
  readonly 'x-rate'?: RouteRate;
  /** The embedded sessions that may call it; absent: none. */
  readonly 'x-embed'?: EmbedDemand;
  /** A ticket of this kind is accepted instead of a token. */
  readonly 'x-ticket'?: 'socket' | 'file' | 'archive' | 'recording';
  readonly 'x-websocket'?: true;
  /** Whether it goes on while the disk of the database is full. By default, reads and every DELETE do: each must add little. */
  readonly 'x-while-full'?: boolean;
  /** Default: `answer`. */
  readonly 'x-turn'?: TurnKind;
  /** May take longer than an edge normally waits. */
  readonly 'x-long'?: true;
  /** Its answer holds text that may be secret next to text of the request: it is never compressed (BREACH). */
  readonly 'x-mixes-secrets'?: true;
  /** Maximum size of the JSON body in MiB; default 1. */
  readonly 'x-body-limit'?: number;
};

export type AppRoute = RouteConfig &
  RoutePolicy & {
    readonly operationId: string;
    /** What the verb refuses; the gates' refusals follow from the policy. Statuses and texts come from FAULTS. */
    readonly refuses?: readonly FaultCode[];
  };

/** Visitors of a demo change nothing. */
export function isOpenInDemo({ method, 'x-allow': allow, 'x-deny': deny }: AppRoute): boolean {
  if (deny?.includes('demo')) return false;
  return !WRITES.has(method) || allow?.includes('demo_write') === true;
}

const WRITES: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'delete']);

export type GuardedRoute = AppRoute & { readonly 'x-access': Access };

/** What the policy demands of a route's caller; its verb demands it again. */
export function demandOf(route: GuardedRoute): Demand {
  return {
    access: route['x-access'],
    scope: route['x-scope'],
    allow: route['x-allow'] ?? [],
    fresh: route['x-fresh'] ?? false,
    embed: route['x-embed'],
    demo: isOpenInDemo(route),
  };
}

/** While the disk of the database is full, only what ends or deletes something is written. */
export function isRefusedWhileFull({ method, 'x-while-full': goes_on }: AppRoute): boolean {
  return !(goes_on ?? ['get', 'head', 'delete'].includes(method));
}
