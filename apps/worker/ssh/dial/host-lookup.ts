import type { LookupAddress } from 'node:dns';
import { lookup as getaddrinfo } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createLimiter } from '#core/lib/limiter.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { createOutlook, type Outlook } from './dns-check.ts';

// A lookup blocks a thread, for 10 s and more when nobody answers, and of four threads libuv gives two to lookups: names
// that are expected to hang share one, so that the other is always there for those that are not.
const QUICK_AT_ONCE = 2;
const SLOW_AT_ONCE = 1;
const LATE_MS = 1000;
const LATE_FOR_MS = 10 * 60_000; // so long a name that DNS doesn't know, and something else was slow to, is expected to hang

export interface Finding {
  readonly addresses: Promise<LookupAddress[]>;
  /** For who no longer waits; a lookup that nobody waits for is not begun. */
  leave(): void;
}

export interface Names {
  /** The addresses of a host as the system knows them; whoever asks for the same name meanwhile gets the same answer. */
  find(hostname: string): Finding;
}

export interface NamesOptions {
  readonly clock: Clock;
  readonly lookup?: (hostname: string) => Promise<LookupAddress[]>;
  readonly outlookOf?: (hostname: string) => Promise<Outlook>;
}

const systemLookup = (hostname: string) => getaddrinfo(hostname, { all: true });

interface Flight {
  people: number;
  is_begun: boolean;
}

export function createNames(options: NamesOptions): Names {
  const { clock, lookup = systemLookup, outlookOf = createOutlook({ clock }) } = options;
  const flights = new Map<string, { readonly flight: Flight; readonly addresses: Finding['addresses'] }>();
  const quick = createLimiter(QUICK_AT_ONCE);
  const slow = createLimiter(SLOW_AT_ONCE);
  const late = createLateNames(clock);

  async function isQuick(name: string): Promise<boolean> {
    const outlook = await outlookOf(name);
    return outlook === 'found' || (outlook === 'none' && !late.has(name));
  }

  async function fly(name: string, flight: Flight): Promise<LookupAddress[]> {
    const limited = (await isQuick(name)) ? quick : slow;
    return limited(async () => {
      if (flight.people === 0) return [];
      flight.is_begun = true;
      return late.watch(name, lookup(name));
    });
  }

  function flightTo(name: string) {
    const known = flights.get(name);
    if (known) return known;
    const flight: Flight = { people: 0, is_begun: false };
    const addresses = fly(name, flight).finally(() => forget(name, flight));
    const started = { flight, addresses };
    flights.set(name, started);
    return started;
  }

  function forget(name: string, flight: Flight): void {
    if (flights.get(name)?.flight === flight) flights.delete(name);
  }

  return {
    find(hostname) {
      if (isIP(hostname)) return { addresses: lookup(hostname), leave() {} };
      const name = hostname.toLowerCase();
      const { flight, addresses } = flightTo(name);
      flight.people += 1;
      return {
        addresses,
        leave() {
          flight.people -= 1;
          if (flight.people === 0 && !flight.is_begun) forget(name, flight);
        },
      };
    },
  };
}

/** Names whose last lookup took its time. */
function createLateNames({ now }: Pick<Clock, 'now'>) {
  const until = new Map<string, number>(); // in the order of their times
  const at = () => now().getTime();

  function note(name: string, took_ms: number): void {
    until.delete(name);
    if (took_ms >= LATE_MS) until.set(name, at() + LATE_FOR_MS);
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
