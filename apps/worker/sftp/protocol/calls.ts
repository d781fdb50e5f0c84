import { Fault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';

export interface CallOptions {
  readonly clock: Clock;
  /** How long the server may leave all requests unanswered. */
  readonly operation_timeout_ms: number;
  /** How many run at once while the others wait; unlimited by default. */
  readonly max_calls?: number;
  /** Called when the server has left requests unanswered for too long. */
  readonly overdue?: () => void;
}

export type Outcome<T> = { readonly value: T } | { readonly fault: Fault };

export type Done<T> = (outcome: Outcome<T>) => void;

export interface Calls {
  /** Starts a request; `late` disposes of a reply that arrives after the call has failed. */
  call<T>(start: (done: Done<T>) => void, late?: (value: T) => void): Promise<T>;
  end(fault: Fault): void;
  onEnd(run: () => void): void;
  ended(): Fault | undefined;
}

/** Pending requests, which fail together when the channel ends or the server is silent for too long. */
export function createCalls(options: CallOptions): Calls {
  const { clock, operation_timeout_ms, max_calls = Number.POSITIVE_INFINITY } = options;
  const waiting = new Set<(fault: Fault) => void>();
  const queue = createCallQueue(max_calls);
  let ended: Fault | undefined;
  let release = () => {};
  let last_reply_ms = 0;
  let cancelWatch: (() => void) | undefined;

  function end(fault: Fault): void {
    if (ended) return;
    ended = fault;
    cancelWatch?.();
    release();
    for (const fail of waiting) fail(fault);
    waiting.clear();
    queue.clear();
  }
  // Replies come in order, so silence concerns every request and one timer serves them all.
  function watch(delay_ms: number): void {
    cancelWatch = clock.after(delay_ms, () => {
      cancelWatch = undefined;
      if (waiting.size === 0) return;
      const left_ms = last_reply_ms + operation_timeout_ms - clock.elapsed_ms();
      if (left_ms > 0) watch(left_ms);
      else {
        options.overdue?.();
        end(new Fault('operation_timeout'));
      }
    });
  }
  return {
    end,
    ended: () => ended,
    onEnd(run) {
      release = run;
    },
    call: (start, late) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        if (waiting.size === 0) last_reply_ms = clock.elapsed_ms();
        if (!cancelWatch) watch(operation_timeout_ms);
        waiting.add(reject);
        const settle = () => {
          last_reply_ms = clock.elapsed_ms();
          queue.end();
          return waiting.delete(reject);
        };
        queue.begin(() =>
          start((outcome) => {
            const expected = settle();
            if ('fault' in outcome) reject(outcome.fault);
            else if (expected) resolve(outcome.value);
            else late?.(outcome.value);
          }),
        );
      }),
  };
}

/** Runs a limited number of calls at once; the others start in order. */
function createCallQueue(most: number) {
  const queue: (() => void)[] = [];
  let running = 0;
  function begin(run: () => void): void {
    if (running === most) return void queue.push(run);
    running += 1;
    run();
  }
  return {
    begin,
    end() {
      running -= 1;
      const next = queue.shift();
      if (next) begin(next);
    },
    clear() {
      queue.length = 0;
    },
  };
}
