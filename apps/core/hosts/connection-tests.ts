import type { Callers } from '../accounts/callers.ts';
import { Fault } from '../errors.ts';
import { createKeyedLimiter } from '../lib/concurrency/limiter.ts';
import { forkSignal } from '../lib/concurrency/signal-fork.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { ConnectionTest, TestEvent } from '../model/hosts/connection-test.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import type { Prober, TestOptions } from '../ports/ssh.ts';
import type { Connections } from './connections.ts';
import { hiddenHopsFor } from './hidden-hops.ts';
import type { Reach } from './reach.ts';

const AT_ONCE = 4; // per user
const WAITING = 50;
const RETRY_S = 5; // a test takes a few seconds

/** The caller no longer waits for the result. */
const ABORTED: ConnectionTest = {
  ...{ success: false, message: 'Cancelled', code: 'cancelled', stages: [], connection: [] },
};

/** Tests connections to servers, stage by stage. */
export interface ConnectionTests {
  assertMayTest(caller: Caller, id: number): Promise<void>;
  /** Runs a few at a time per user. Always returns a result, whatever the host does. */
  test(caller: Caller, id: number, options?: TestOptions): Promise<ConnectionTest>;
  /** Aborts all tests at shutdown. */
  end(): void;
}

interface Deps {
  readonly reach: Reach;
  readonly connections: Connections;
  readonly callers: Callers;
  readonly prober: Prober;
}

export function createConnectionTests({ reach, connections, callers, prober }: Deps): ConnectionTests {
  const tooMany = () => new Fault('rate_limited', undefined, { retry_after: RETRY_S });
  const limited = createKeyedLimiter(AT_ONCE, { max_waiting: WAITING, tooMany });
  const running = new AbortController();
  const tests = forkSignal(running.signal);

  async function tryOut(caller: Caller, id: number, options: TestOptions): Promise<ConnectionTest> {
    const server = await reach(caller, 'test_server', id);
    const hidden_hops = await hiddenHopsFor(caller, server, connections).catch(notEvenDialled);
    if ('success' in hidden_hops) return hidden_hops;
    const watch = (event: TestEvent) => options.watch?.(hidden_hops.event(event));
    try {
      const target = { ...(await connections.targetOf(server)), user_id: caller.user_id };
      return await tests.during(async (ended) => {
        const signal = options.signal ? AbortSignal.any([options.signal, ended]) : ended;
        return hidden_hops.test(await prober.test(target, { signal, watch }));
      });
    } catch (error) {
      if (options.signal?.aborted) return ABORTED;
      return notEvenDialled(hidden_hops.fault(error));
    }
  }

  return {
    async assertMayTest(caller, id) {
      await reach(caller, 'test_server', id);
    },

    async test(caller, id, options = {}) {
      assertMay(caller, 'test_server');
      return limited(String(caller.user_id), async () => {
        if (options.signal?.aborted) return ABORTED;
        const now = await callers.fromCredential(credentialOf(caller), caller.ip_address); // it may have waited for long
        return tryOut(now, id, options);
      });
    },

    end: () => running.abort(new Fault('shutting_down')),
  };
}

/** Errors before dialling, such as a chain that is too deep, are test results. */
function notEvenDialled(error: unknown): ConnectionTest {
  if (error instanceof Fault && error.code !== 'internal') {
    return { success: false, message: error.detail, code: error.code, stages: [], connection: [] };
  }
  throw error;
}
