import { z } from 'zod';
import type { OtherInstances } from '../instances/others.ts';
import type { InstanceQuestions } from '../instances/questions.ts';
import { type Credential, NamedCredential } from '../model/accounts/caller.ts';
import type { InstanceRow } from '../model/terminal.ts';
import type { Neighbours } from '../ports/neighbours.ts';
import type { Background } from '../ports/runtime.ts';
import {
  type HandedCredential,
  keyOf,
  type PromptingServer,
  type TypedCredential,
  type TypedCredentials,
} from './typed-credentials.ts';

const MOST_QUESTIONS = 64; // under way; each goes to all other instances

/** Typed credentials of all instances: requests of one sign-in may reach any of them. */
export interface SharedCredentials {
  /** Asks the other instances when nothing was typed here. */
  of(credential: Credential, server: PromptingServer): Promise<TypedCredential | undefined>;
  keep(credential: Credential, server: PromptingServer, typed: TypedCredential): Promise<void>;
  /** Forgets what a host has refused, on all instances. */
  forget(credential: Credential, server: PromptingServer): Promise<void>;
}

/** Answers the other instances. */
export interface TypedAnswers {
  /** Undefined when nothing was typed here, and for a question that no instance has signed. */
  answer(signed: string): Promise<string | undefined>;
}

interface Deps {
  readonly typed: TypedCredentials;
  readonly questions: InstanceQuestions;
  readonly others: OtherInstances;
  readonly neighbours: Pick<Neighbours, 'ask'>;
  readonly background: Background;
}

const Wanted = z.object({
  owner: NamedCredential,
  server: z.object({ id: z.int(), updated_at: z.string() }),
  newer_than_ms: z.number(),
});
type Wanted = z.infer<typeof Wanted>;

const Handed = z.object({ username: z.string(), password: z.string(), typed_at_ms: z.number() });

export function createSharedCredentials(deps: Deps): SharedCredentials {
  const { typed, background } = deps;
  const askAll = createAsking(deps);
  const under_way = new Map<string, Promise<void>>();

  async function fetchFor(owner: Credential, server: PromptingServer): Promise<void> {
    for (const handed of await askAll(owner, server, typed.typedAt(owner, server)))
      typed.take(owner, server, handed); // keeps the newest
  }

  /** One question at a time per owner and server. */
  async function fetchOnce(owner: Credential, server: PromptingServer): Promise<void> {
    const key = keyOf(owner, server);
    if (!under_way.has(key) && under_way.size >= MOST_QUESTIONS) return;
    const work = under_way.get(key) ?? fetchFor(owner, server).finally(() => under_way.delete(key));
    under_way.set(key, work);
    await work;
  }

  /** The others forget what was typed until then. An instance that does not hear it is told when it asks. */
  async function tell(owner: Credential, server: PromptingServer, until_ms: number): Promise<void> {
    const told = askAll(owner, server, until_ms);
    background.run('tell other instances that typed credentials are out of date', told);
    await Promise.allSettled([told]);
  }

  return {
    async of(credential, server) {
      const here = typed.of(credential, server);
      if (here) return here;
      await fetchOnce(credential, server);
      return typed.of(credential, server);
    },

    async keep(credential, server, entered) {
      await tell(credential, server, typed.keep(credential, server, entered) - 1);
    },

    async forget(credential, server) {
      const typed_at_ms = typed.forget(credential, server);
      if (typed_at_ms !== undefined) await tell(credential, server, typed_at_ms);
    },
  };
}

/** Asks all other instances at once, each for a limited time. */
function createAsking({ questions, others, neighbours }: Deps) {
  async function ask({ run_id, url }: InstanceRow, wanted: Wanted): Promise<HandedCredential[]> {
    const question = await questions.ask(run_id, wanted);
    const answer = await neighbours.ask(url, question.signed);
    if (answer === undefined) return [];
    try {
      return [Handed.parse(await question.open(answer))];
    } catch {
      return []; // not the answer of an instance, or of an older version
    }
  }

  return async (owner: Credential, { id, updated_at }: PromptingServer, newer_than_ms: number) => {
    const wanted = { owner, server: { id, updated_at }, newer_than_ms };
    const all = await others.list();
    return (await Promise.all(all.map((one) => ask(one, wanted)))).flat();
  };
}

export function createTypedAnswers({ typed, questions }: Pick<Deps, 'typed' | 'questions'>): TypedAnswers {
  return {
    async answer(signed) {
      const question = await questions.receive(signed);
      const wanted = Wanted.safeParse(question?.about);
      if (!question || !wanted.success) return undefined;
      const { owner, server, newer_than_ms } = wanted.data;
      const handed = typed.handOver(owner, server, newer_than_ms);
      return handed && question.seal(handed);
    },
  };
}
