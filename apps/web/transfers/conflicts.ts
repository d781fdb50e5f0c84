import { type Accessor, createSignal } from 'solid-js';

export type ConflictAnswer = 'replace' | 'keep_both' | 'skip';

export interface Conflict {
  readonly server_id: number;
  /** The existing file. */
  readonly path: string;
  /** The replacing file; undefined if it is on a host. */
  readonly file: { readonly size: number; readonly modified_ms: number } | undefined;
  /** Ends the whole transfer, of which one answer counts for all files that exist. */
  readonly cancel?: () => void;
}

/** Items requested together: one answer may apply to all of them. */
export interface Batch {
  answer: ConflictAnswer | undefined;
}

export interface Question {
  readonly conflict: Conflict;
  readonly batch: Batch;
  answer(answer: ConflictAnswer, for_all: boolean): void;
}

export interface Conflicts {
  /** Conflicts waiting for the user, oldest first. */
  readonly questions: Accessor<readonly Question[]>;
  ask(conflict: Conflict, batch: Batch, signal: AbortSignal): Promise<ConflictAnswer>;
}

export function createBatch(): Batch {
  return { answer: undefined };
}

/** Asks what to do with a file whose name is taken. */
export function createConflicts(): Conflicts {
  const [questions, setQuestions] = createSignal<readonly Question[]>([]);
  const drop = (gone: Question) => setQuestions((all) => all.filter((question) => question !== gone));

  function answerAll(batch: Batch, answer: ConflictAnswer): void {
    batch.answer = answer;
    for (const question of questions()) if (question.batch === batch) question.answer(answer, false);
  }

  function ask(conflict: Conflict, batch: Batch, signal: AbortSignal): Promise<ConflictAnswer> {
    return new Promise((resolve, reject) => {
      const question: Question = {
        conflict,
        batch,
        answer(answer, for_all) {
          settle(() => resolve(answer));
          if (for_all) answerAll(batch, answer);
        },
      };
      const onAbort = () => settle(() => reject(signal.reason));
      const settle = (end: () => void) => {
        signal.removeEventListener('abort', onAbort);
        drop(question);
        end();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      setQuestions((all) => [...all, question]);
    });
  }

  return {
    questions,
    async ask(conflict, batch, signal) {
      signal.throwIfAborted();
      return batch.answer ?? (await ask(conflict, batch, signal));
    },
  };
}
