import { Fault } from '#core/errors.ts';
import type { HostKeys, ShellRequest, SshHop, SshTarget } from '#core/ports/ssh.ts';
import type { Asked, Told, WireHop, WireTarget } from '../messages.ts';

/** What a gateway answers while a keeper dials for it. */
export interface Dialogue {
  answer(asked: Asked, signal: AbortSignal): Promise<unknown>;
  told(told: Told): void;
  /** The shell is open: only announced host keys may follow, so nothing keeps the credentials. */
  opened(): void;
}

export function createDialogue(
  target: SshTarget,
  { ask, watch, banner, secured }: Pick<ShellRequest, 'ask' | 'watch' | 'banner' | 'secured'>,
  host_keys: HostKeys,
): Dialogue {
  let hops: readonly SshHop[] = target.hops;
  const hopAt = (index: number): SshHop => {
    const hop = hops[index];
    if (!hop) throw new Fault('internal');
    return hop;
  };
  return {
    async answer(asked, signal) {
      switch (asked.ask) {
        case 'person':
          return ask(toQuestion(asked.question), signal);
        case 'judge':
          return host_keys.judge(hopAt(asked.hop), asked.presented);
        case 'pin':
          await host_keys.pin(hopAt(asked.hop), asked.presented);
          return true;
        case 'address':
          return hopAt(asked.hop).isAllowedAddress?.(asked.address) ?? true;
      }
    },

    told(told) {
      switch (told.tell) {
        case 'stage':
          return watch?.(told.stage, told.hop);
        case 'banner':
          return banner?.(told);
        case 'connection':
          secured?.(told.connection);
          return told.at === undefined ? undefined : host_keys.secured(hopAt(told.at), told.connection);
        case 'announced':
          return host_keys.announced(hopAt(told.hop), told.presented, told.keys);
      }
    },

    opened() {
      hops = hops.map((hop) => ({ ...hop, auth: { method: 'prompt' } }));
    },
  };
}

type AskedPerson = Extract<Asked, { ask: 'person' }>['question'];

/** Without members that are present but undefined. */
function toQuestion({ prompts, ...question }: AskedPerson) {
  return {
    ...question,
    prompts: prompts.map(({ text, echo, value }) => ({ text, echo, ...(value !== undefined && { value }) })),
  };
}

export function toWireTarget({ hops: [first, ...others], owner, user_id }: SshTarget): WireTarget {
  return {
    hops: [toWireHop(first), ...others.map(toWireHop)],
    ...(owner !== undefined && { owner }),
    ...(user_id !== undefined && { user_id }),
  };
}

function toWireHop({ isAllowedAddress, known_host_keys, ...hop }: SshHop): WireHop {
  return { ...hop, known_host_keys: [...known_host_keys], is_restricted: isAllowedAddress !== undefined };
}
