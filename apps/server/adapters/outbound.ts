import type { Outbound } from '#core/ports/outside.ts';
import { PostFailed } from '#core/ports/outside.ts';

interface Options {
  /** `SERVICE_WEBHOOK_ALLOW_PRIVATE`. */
  readonly allow_private: boolean;
}

export function createOutbound(_options: Options): Outbound {
  return {
    objection: () => undefined,
    post: async () => {
      throw new PostFailed('unfinished');
    },
  };
}
