import { z } from 'zod';
import { Fault } from '#core/errors.ts';
import type { Ask, HostKeys, Shell, SshHop, SshTarget } from '#core/ports/ssh.ts';
import { createShells, type ShellsOptions } from '../shell/shells.ts';
import type { Dialler } from '../ssh/dial/connect.ts';
import type { Asked, Order, Told, WireTarget } from './messages.ts';

type OpenOrder = Extract<Order, { say: 'open' }>;

/** The gateway that dials, as the dial uses it. */
export interface DialFace {
  /** Rejects when the gateway refuses, is gone, or `signal` aborts. */
  ask(asked: Asked, signal?: AbortSignal): Promise<unknown>;
  tell(told: Told): void;
}

const Answers = z.array(z.string());
const Verdict = z.enum(['trust', 'pin', 'unverified']);

/** Opens a shell for a gateway, which answers what only it knows: pinned host keys, people, and what may be dialled. */
export function openForGateway(
  { target: wire, size, terminal, lang, timeout_ms, hears_connection }: OpenOrder,
  {
    dialler,
    clock,
    signal,
    face,
  }: Pick<ShellsOptions, 'dialler' | 'clock'> & { signal: AbortSignal; face: DialFace },
): Promise<Shell> {
  const target = toTarget(wire, face);
  const host_keys = hostKeysOf(target, face, hears_connection);
  const following: Dialler = {
    ...dialler,
    connect: (to, options) => dialler.connect(to, { ...options, timeout_ms, host_keys }),
  };
  const ask: Ask = async (question, unasked) =>
    Answers.parse(
      await face.ask(
        {
          ask: 'person',
          question: { ...question, prompts: question.prompts.map((prompt) => ({ ...prompt })) },
        },
        unasked,
      ),
    );
  const shells = createShells({ dialler: following, clock, open_timeout_ms: timeout_ms, lang });
  return shells.open(target, {
    size,
    terminal,
    signal,
    ask,
    watch: (stage, hop) => face.tell({ tell: 'stage', stage, ...(hop !== undefined && { hop }) }),
    banner: ({ name, text }) => face.tell({ tell: 'banner', name, text }),
  });
}

function toTarget({ hops: [first, ...others], owner, user_id }: WireTarget, face: DialFace): SshTarget {
  const toHop = (wire: WireTarget['hops'][number], index: number): SshHop => {
    const { is_restricted, is_kept, quick_user_id, ...hop } = wire;
    return {
      ...hop,
      ...(is_kept && { is_kept }),
      ...(quick_user_id !== undefined && { quick_user_id }),
      ...(is_restricted && {
        isAllowedAddress: async (address: string) =>
          (await face.ask({ ask: 'address', hop: index, address })) === true,
      }),
    };
  };
  const hops: SshTarget['hops'] = [toHop(first, 0), ...others.map((hop, index) => toHop(hop, index + 1))];
  return { hops, user_id, ...(owner !== undefined && { owner }) };
}

function hostKeysOf({ hops }: SshTarget, face: DialFace, hears_connection: boolean | undefined): HostKeys {
  const numberOf = (hop: SshHop) => {
    const index = hops.indexOf(hop);
    if (index < 0) throw new Fault('internal');
    return index;
  };
  return {
    judge: async (hop, presented) =>
      Verdict.parse(await face.ask({ ask: 'judge', hop: numberOf(hop), presented })),
    async pin(hop, presented) {
      await face.ask({ ask: 'pin', hop: numberOf(hop), presented });
    },
    secured(hop, connection) {
      if (hears_connection) face.tell({ tell: 'connection', connection, at: numberOf(hop) });
    },
    announced: (hop, presented, keys) =>
      face.tell({ tell: 'announced', hop: numberOf(hop), presented, keys: [...keys] }),
  };
}
