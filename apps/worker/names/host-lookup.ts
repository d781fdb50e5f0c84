import type { LookupAddress } from 'node:dns';
import { lookup as getaddrinfo } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createLimiter } from '#core/lib/concurrency/limiter.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { createDnsCheck, type DnsAnswer } from './dns-check.ts';

// A lookup blocks a thread, for 10 s or more when no DNS server answers, and libuv gives lookups two of its four threads.
// Names expected to hang share one of them, which keeps the other free.
const QUICK_AT_ONCE = 2;
const SLOW_AT_ONCE = 1;
const SLOW_MS = 1000;
const REMEMBER_SLOW_MS = 10 * 60_000; // how long a name that DNS does not know, and that was slow before, is expected to hang

export interface Lookup {
  readonly addresses: Promise<LookupAddress[]>;
  /** Stops waiting; a lookup without waiters is not started. */
  leave(): void;
}

export interface HostLookup {
  /** The addresses of a host from the system's resolver; concurrent lookups of a name share one result. */
  find(hostname: string): Lookup;
}

export interface HostLookupOptions {
  readonly clock: Clock;
  readonly lookup?: (hostname: string) => Promise<LookupAddress[]>;
  readonly checkDns?: (hostname: string) => Promise<DnsAnswer>;
}

const systemLookup = (hostname: string) => getaddrinfo(hostname, { all: true });

interface PendingLookup {
  waiters: number;
  has_started: boolean;
}

export function createHostLookup(options: HostLookupOptions): HostLookup {
  const { clock, lookup = systemLookup, checkDns: outlookOf = createDnsCheck({ clock }) } = options;
  const pending = new Map<
    string,
    { readonly flight: PendingLookup; readonly addresses: Lookup['addresses'] }
  >();
  const quick = createLimiter(QUICK_AT_ONCE);
  const slow = createLimiter(SLOW_AT_ONCE);
  const slow_names = createSlowNames(clock);

  async function isQuick(name: string): Promise<boolean> {
    const outlook = await outlookOf(name);
    return outlook === 'found' || (outlook === 'none' && !slow_names.has(name));
  }

  async function run(name: string, flight: PendingLookup): Promise<LookupAddress[]> {
    const limited = (await isQuick(name)) ? quick : slow;
    return limited(async () => {
      if (flight.waiters === 0) return [];
      flight.has_started = true;
      return slow_names.watch(name, lookup(name));
    });
  }

  function pendingLookup(name: string) {
    const known = pending.get(name);
    if (known) return known;
    const flight: PendingLookup = { waiters: 0, has_started: false };
    const addresses = run(name, flight).finally(() => forget(name, flight));
    const started = { flight, addresses };
    pending.set(name, started);
    return started;
  }

  function forget(name: string, flight: PendingLookup): void {
    if (pending.get(name)?.flight === flight) pending.delete(name);
  }

  return {
    find(hostname) {
      if (isIP(hostname)) return { addresses: lookup(hostname), leave() {} };
      const name = hostname.toLowerCase();
      const { flight, addresses } = pendingLookup(name);
      flight.waiters += 1;
      return {
        addresses,
        leave() {
          flight.waiters -= 1;
          if (flight.waiters === 0 && !flight.has_started) forget(name, flight);
        },
      };
    },
  };
}

/** Names whose last lookup was slow. */
function createSlowNames({ now }: Pick<Clock, 'now'>) {
  const until = new Map<string, number>(); // ordered by expiry
  const at = () => now().getTime();

  function note(name: string, took_ms: number): void {
    until.delete(name);
    if (took_ms >= SLOW_MS) until.set(name, at() + REMEMBER_SLOW_MS);
    for (const [old, end] of until) {
      if (end > at()) break;
      until.delete(old);
    }
  }

  return {
    has: (name: string) => (until.get(name) ?? 0) > at(),
    async watch<T>(name: string, looking: Promise<T>): Promise<T> {
      const began = at();
      try {
        return await looking;
      } finally {
        note(name, at() - began);
      }
    },
  };
}
