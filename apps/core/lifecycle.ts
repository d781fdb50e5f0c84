import type { Log } from './ports/runtime.ts';

/** What is known once the port is bound. */
export interface Boot {
  /** Where other instances reach this one; empty when they cannot. */
  readonly url: string;
  /** Shows the password of a new default administrator, once. */
  announce(generated_password: string): void;
}

/** Something that runs by itself while the gateway is up, or one step of its start or stop. */
export interface Job {
  readonly name: string;
  start?(boot: Boot): void | Promise<void>;
  /** Called at the stop signal: lets another instance take over. Requests are still answered. */
  handOver?(): void;
  /** Ends what could last forever; transfers may finish. */
  drain?(): void;
  /** Resolves when the job does nothing any more. */
  stop?(): void | Promise<void>;
}

export interface Lifecycle {
  /** One job after the other; the first that fails ends the start. */
  start(boot: Boot): Promise<void>;
  /** The three phases of a shutdown, each in reverse order; a job that fails does not hold up the others. */
  handOver(): void;
  drain(): void;
  stop(): Promise<void>;
}

export function createLifecycle(jobs: readonly Job[], log: Pick<Log, 'warn'>): Lifecycle {
  const running = new Set(jobs.filter((job) => !job.start)); // a job without a start is always running
  let is_stopping = false;

  async function stopJob(job: Job): Promise<void> {
    try {
      await job.stop?.();
    } catch (err) {
      log.warn({ err, job: job.name }, 'A job did not stop cleanly');
    }
  }

  function eachRunning(phase: 'handOver' | 'drain'): void {
    for (const job of jobs.toReversed()) {
      try {
        if (running.has(job)) job[phase]?.();
      } catch (err) {
        log.warn({ err, job: job.name, phase }, 'A job could not prepare for the shutdown');
      }
    }
  }

  return {
    async start(boot) {
      for (const job of jobs) {
        running.add(job); // before it starts: half a start needs a stop too
        await job.start?.(boot);
        if (!is_stopping) continue;
        await stopJob(job); // stop() may have run before this start had finished
        throw new Error('The gateway was stopped during its start');
      }
    },

    handOver: () => eachRunning('handOver'),
    drain: () => eachRunning('drain'),

    async stop() {
      is_stopping = true;
      for (const job of jobs.toReversed()) if (running.delete(job)) await stopJob(job);
    },
  };
}

/** A job from a function that starts it and returns the function that stops it. */
export function toJob(name: string, begin: () => () => void): Job {
  let end = () => {};
  return {
    name,
    start() {
      end = begin();
    },
    stop: () => end(),
  };
}
