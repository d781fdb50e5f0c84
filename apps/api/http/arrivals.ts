import { Fault } from '#core/errors.ts';

const MIB = 1024 * 1024;
// Bodies that arrive take memory, and an attacker has many addresses.
const OPEN_BYTES = 8 * MIB;
const SIGNED_IN_BYTES = 64 * MIB;

/** Bodies of the routes that need no sign-in, and of the others. */
export interface Arrivals {
  readonly open: Arrive;
  readonly signed_in: Arrive;
}

export function createArrivals(): Arrivals {
  return { open: arrivingWithin(OPEN_BYTES), signed_in: arrivingWithin(SIGNED_IN_BYTES) };
}

/** Resolves with the body, or rejects when newer bodies need its room. */
type Arrive = (own_bytes: number, read: Promise<unknown>) => Promise<unknown>;

interface Arriving {
  readonly own_bytes: number;
  giveUp(fault: Fault): void;
}

/** The body that has been arriving longest gives way: honest clients send theirs at once. */
function arrivingWithin(most_bytes: number): Arrive {
  const all = new Set<Arriving>();
  let bytes = 0;
  function leave(one: Arriving): void {
    if (all.delete(one)) bytes -= one.own_bytes;
  }
  function makeRoom(): void {
    for (const oldest of all) {
      if (bytes <= most_bytes) return;
      leave(oldest);
      oldest.giveUp(new Fault('body_timeout'));
    }
  }
  return (own_bytes, read) =>
    new Promise((resolve, reject) => {
      const own = { own_bytes, giveUp: reject };
      all.add(own);
      bytes += own_bytes;
      makeRoom();
      void read.then(resolve, reject).finally(() => leave(own));
    });
}
