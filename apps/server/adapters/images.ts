import { Fault } from '#core/errors.ts';
import type { Images } from '#core/ports/outside.ts';

export function createImages(): Images {
  return {
    reencode: async () => {
      throw new Fault('image_unreadable');
    },
  };
}
