import { MAX_HOPS } from '../../../limits.ts';
import type { Blocked, Draft } from './draft.ts';
import { type createDrafts, tooDeep } from './drafts.ts';
import type { SshConfigHost } from './host.ts';
import type { Jump } from './jumps.ts';
import type { SshConfig } from './parse.ts';

/** The jump host of a name: none if it is reached directly. */
export type Way =
  | { readonly kind: 'way'; readonly host: SshConfigHost; readonly via: Draft | undefined }
  | Blocked
  /** It depends on a way that is being resolved. */
  | { readonly kind: 'pending' };

type Hop = Draft | Exclude<Way, { kind: 'way' }>;

const PENDING: Way & Hop = { kind: 'pending' };

/** Resolves the jump hosts of each name as `ssh` does. */
export function createWays(config: SshConfig, drafts: ReturnType<typeof createDrafts>) {
  const known = new Map<string, Way>();
  const open = new Set<string>();

  async function wayTo(name: string): Promise<Way> {
    const found = known.get(name);
    if (found) return found;
    if (open.has(name)) return PENDING;
    open.add(name);
    const way = await resolve(name);
    open.delete(name);
    if (way.kind !== 'pending') known.set(name, way);
    return way;
  }

  async function resolve(name: string): Promise<Way> {
    const reading = await config.read(name);
    if (reading.kind !== 'host') return blockedBy(name, reading);
    const { host } = reading;
    const loop = await loopFrom(host);
    if (loop) return loop;
    let via: Draft | undefined;
    for (const [index, jump] of host.jumps.entries()) {
      const hop = index === 0 ? await firstHop(jump, host) : await nextHop(jump, host, via);
      if (hop.kind === 'pending' || hop.kind === 'blocked') return hop;
      via = hop;
    }
    return { kind: 'way', host, via };
  }

  /** Follows the first jump host of each host: only that one uses its own jump hosts. */
  async function loopFrom(start: SshConfigHost): Promise<Blocked | undefined> {
    const seen = new Set<string>();
    let host = start;
    for (;;) {
      seen.add(host.alias);
      const next = nextOf(host);
      if (next === undefined) return undefined;
      if (seen.has(next)) return loopAt(next, next === start.alias ? start.jumps_line : host.jumps_line);
      if (seen.size > MAX_HOPS) return tooDeep(start.alias, start.jumps_line);
      const reading = await config.read(next);
      if (reading.kind !== 'host') return undefined; // the caller reports it
      host = reading.host;
    }
  }

  function nextOf({ jumps: [first] }: SshConfigHost): string | undefined {
    return first && !registered(first) ? first.host : undefined;
  }

  function registered(jump: Jump): Draft | undefined {
    return config.hosts.has(jump.host) ? undefined : drafts.registered(jump);
  }

  async function firstHop(jump: Jump, { alias, jumps_line }: SshConfigHost): Promise<Hop> {
    const server = registered(jump);
    if (server) return server;
    const way = await wayTo(jump.host);
    if (way.kind !== 'way') return way;
    if (isListed(jump, way.host)) return drafts.host(way.host, way.via);
    return drafts.hop(jump, way.host, { via: way.via, line: jumps_line }, alias);
  }

  /** `ssh -J a,b host` reaches `b` through `a`, whatever the section of `b` says. */
  async function nextHop(
    jump: Jump,
    { alias, jumps_line }: SshConfigHost,
    via: Draft | undefined,
  ): Promise<Hop> {
    const reading = await config.read(jump.host);
    if (reading.kind === 'problem') return blockedBy(jump.host, reading);
    const { host } = reading;
    if (isListed(jump, host)) {
      const own = await wayTo(jump.host);
      if (own.kind === 'way' && own.via === via) return drafts.host(host, via);
    }
    return drafts.hop(jump, host, { via, line: jumps_line }, alias);
  }

  function isListed({ host: name, user, port }: Jump, host: SshConfigHost): boolean {
    const is_same = (user ?? host.user) === host.user && (port ?? host.port) === host.port;
    return is_same && config.hosts.has(name);
  }

  return { wayTo };
}

function blockedBy(alias: string, { problem, line }: { problem: string; line: number | undefined }): Blocked {
  return { kind: 'blocked', alias, reason: problem, line };
}

function loopAt(alias: string, line: number | undefined): Blocked {
  return { kind: 'blocked', alias, reason: 'it jumps through itself', line, is_loop: true };
}
