// @ts-check
import { serve } from '../threads/serve.mjs';
import { openCastFile, reopenCastFile } from './cast-file.mjs';

/** @type {Map<number, ReturnType<typeof openCastFile>>} */
const open = new Map();

/** @param {number} id */
function castOf(id) {
  const cast = open.get(id);
  if (!cast) throw new Error('The recording is closed or has stopped');
  return cast;
}

/** @type {import('../threads/serve.mjs').Served<import('./verbs.ts').WritingVerbs>} */
const verbs = {
  open(order) {
    const cast = openCastFile(order);
    open.set(order.id, cast);
    return cast.state();
  },
  async reopen(order) {
    const cast = await reopenCastFile(order);
    open.set(order.id, cast);
    return cast.state();
  },
  write({ id, events, buffer, is_full }) {
    const cast = castOf(id);
    const state = is_full ? cast.endFull() : cast.write(events, new Uint8Array(buffer));
    if (state.stopped) open.delete(id);
    return { ...state, buffer };
  },
  abandon({ id }) {
    castOf(id).abandon();
    open.delete(id);
    return undefined;
  },
  close({ id }) {
    const cast = castOf(id);
    open.delete(id);
    return cast.close();
  },
};

serve(verbs);
