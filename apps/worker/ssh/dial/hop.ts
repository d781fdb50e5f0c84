import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { pause } from '#core/lib/time/deadline.ts';
import { type StageNote, stageNote } from '#core/model/hosts/connection-test.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Ask, SshHop } from '#core/ports/ssh.ts';
import { type Attempt, addressOf, startAttempt, UNWATCHED } from '../attempt.ts';
import type { Link } from '../connection.ts';
import { isDropped } from '../faults.ts';
import { openClient } from '../handshake/handshake.ts';
import type { Dialling } from './dialling.ts';
import { withHandshakeSlot } from './handshake-slot.ts';
import { addressKey, openTcp, resolveHop } from './tcp.ts';
import { openTunnel } from './tunnel.ts';
import type { Turn } from './turns.ts';

export interface Leg {
  readonly hop: SshHop;
  readonly user_id: number | undefined;
  /** The hop it is reached through. */
  readonly before: Pick<Link, 'hop' | 'client'> | undefined;
  readonly in_chain: boolean;
  readonly depth: number;
  readonly is_last: boolean;
}

/** Dials one hop and authenticates there, when it is its turn. */
export async function dialHop(leg: Leg, dialling: Dialling): Promise<Link> {
  const { clock, signal, watch = UNWATCHED, turns } = dialling;
  const timeout_ms = dialling.timeout_ms ?? dialling.connect_timeout_ms;
  const { hop, user_id, in_chain } = leg;
  const attempt = startAttempt({ hop, user_id, in_chain, clock, timeout_ms, signal, watch });
  try {
    const way = await findWay(leg, attempt, dialling);
    const turn = await turns.take(way.keys, attempt);
    attempt.enter('tcp');
    try {
      return await twiceIfDropped(attempt, clock, (is_first) =>
        openLink({ leg, attempt, way, turn, is_first }, dialling),
      );
    } finally {
      turn.end(!attempt.signal.aborted);
    }
  } finally {
    attempt.finish();
  }
}

const AGAIN_AFTER_MS = 500; // an sshd that dropped us has too many connections that are about to authenticate

async function twiceIfDropped<T>(
  attempt: Attempt,
  clock: Clock,
  open: (is_first: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await open(true);
  } catch (error) {
    if (!isDropped(error) || attempt.signal.aborted) throw error;
    await pause(clock.after, AGAIN_AFTER_MS, attempt.signal);
    attempt.signal.throwIfAborted();
    return open(false);
  }
}

interface Way {
  /** What the dials that must take turns have in common. */
  readonly keys: readonly string[];
  open(): Promise<Opened>;
}

interface Opened {
  readonly stream: Duplex;
  readonly key: string;
  readonly note: StageNote;
}

/** The stage `resolve`. */
async function findWay({ hop, before }: Leg, attempt: Attempt, { lookup }: Dialling): Promise<Way> {
  if (before) return wayThrough(before, attempt);
  const addresses = await resolveHop(attempt, lookup);
  return {
    keys: addresses.map(({ address }) => addressKey(address, hop.port)),
    async open() {
      const stream = await openTcp(attempt, addresses);
      const { remoteAddress } = stream;
      const note = stageNote('connected', { address: remoteAddress ?? attempt.address });
      return { stream, note, key: addressKey(remoteAddress ?? '', hop.port) };
    },
  };
}

/** One address behind two bastions may be two hosts. */
function wayThrough(
  { hop, client }: { readonly hop: SshHop; readonly client: Client },
  attempt: Attempt,
): Way {
  const key = `${addressOf(hop)} ${attempt.address}`.toLowerCase();
  attempt.enter('resolve');
  attempt.pass(stageNote('resolved_by', { server: hop.name }));
  return {
    keys: [key],
    open: async () => ({
      stream: await openTunnel(client, hop.name, attempt),
      note: stageNote('forwarded', { server: hop.name }),
      key,
    }),
  };
}

interface Opening {
  readonly leg: Leg;
  readonly attempt: Attempt;
  readonly way: Way;
  readonly turn: Turn;
  /** The second try belongs to the stage in which the first was dropped. */
  readonly is_first: boolean;
}

async function openLink(opening: Opening, dialling: Dialling): Promise<Link> {
  const { leg, attempt, way, turn, is_first } = opening;
  const { stream, key, note } = await way.open();
  turn.keepOnly(key);
  try {
    if (is_first) {
      attempt.pass(note);
      attempt.enter('handshake');
    }
    const client = await handshake(stream, opening, dialling);
    return { hop: leg.hop, stream, client };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

function handshake(stream: Duplex, { leg, attempt, turn }: Opening, dialling: Dialling): Promise<Client> {
  const { clock, host_keys, keys, acquireSlot: acquire } = dialling;
  const until = leg.is_last ? (dialling.until ?? 'auth') : 'auth';
  const ask = dialling.ask && passingTurn(dialling.ask, turn, clock);
  const work = () => openClient(stream, attempt, { host_keys, keys, clock, ask, until, depth: leg.depth });
  return acquire ? withHandshakeSlot(stream, attempt, { acquire, clock, work }) : work();
}

const QUICK_ANSWER_MS = 2000;

/** Others need not wait for a person who has left: then the next dial begins. */
function passingTurn(ask: Ask, turn: Turn, clock: Clock): Ask {
  return async (question, signal) => {
    const cancel = clock.after(QUICK_ANSWER_MS, () => turn.end(true));
    try {
      return await ask(question, signal);
    } finally {
      cancel();
    }
  };
}
