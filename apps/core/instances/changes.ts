import type { Topic } from '../ports/notices.ts';
import type { Clock } from '../ports/runtime.ts';

export interface Follow {
  readonly topics: readonly Topic[];
  /** Without notices. */
  readonly every_ms: number;
  /** While notices arrive: the safety net. */
  readonly calm_ms: number;
  /** Looks at the database, and reports its own failure. */
  look(): Promise<void>;
}

/** Looks for changes by other instances: after a notice, and from time to time in case one was missed. */
export interface Changes {
  /** One look at a time. The returned function stops it. */
  follow(follow: Follow): () => void;
  /** Without looking from time to time: what would be missed is noticed in another way. */
  listen(topic: Topic, heard: () => void): () => void;
  /** Something of this topic has changed. */
  heard(topic: Topic): void;
  /** Whether notices arrive. Looks at once when they begin to: some may have been missed. */
  hearing(is_hearing: boolean): void;
}

// A burst of notices is one look, and a flood of them costs no more than ten a second.
const SOON_MS = 20;
const MOST_OFTEN_MS = 100;

export function createChanges(clock: Pick<Clock, 'after' | 'elapsed_ms'>): Changes {
  const followers = new Set<Follower>();
  const listeners = new Set<{ readonly topic: Topic; heard(): void }>();
  let is_hearing = false;
  return {
    follow(follow) {
      const follower = createFollower(clock, follow, () => (is_hearing ? follow.calm_ms : follow.every_ms));
      followers.add(follower);
      return () => {
        followers.delete(follower);
        follower.stop();
      };
    },
    listen(topic, heard) {
      const listener = { topic, heard };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    heard(topic) {
      for (const listener of listeners) if (listener.topic === topic) listener.heard();
      for (const follower of followers) if (follower.topics.includes(topic)) follower.wake();
    },
    hearing(is_now) {
      is_hearing = is_now;
      for (const follower of followers) follower.wake();
    },
  };
}

interface Follower extends Pick<Follow, 'topics'> {
  wake(): void;
  stop(): void;
}

function createFollower(
  clock: Pick<Clock, 'after' | 'elapsed_ms'>,
  { topics, look }: Follow,
  pause_ms: () => number,
): Follower {
  let cancel = clock.after(pause_ms(), round);
  let looked_ms = Number.NEGATIVE_INFINITY;
  let state: 'waiting' | 'called' | 'looking' | 'stopped' = 'waiting';
  let is_called_again = false;

  function round(): void {
    state = 'looking';
    looked_ms = clock.elapsed_ms();
    look().then(looked, looked);
  }

  function looked(): void {
    if (state === 'stopped') return;
    state = 'waiting';
    if (is_called_again) wake();
    else cancel = clock.after(pause_ms(), round);
    is_called_again = false;
  }

  function wake(): void {
    is_called_again ||= state === 'looking';
    if (state !== 'waiting') return;
    state = 'called';
    cancel();
    cancel = clock.after(Math.max(SOON_MS, looked_ms + MOST_OFTEN_MS - clock.elapsed_ms()), round);
  }

  return {
    topics,
    wake,
    stop() {
      state = 'stopped';
      cancel();
    },
  };
}
