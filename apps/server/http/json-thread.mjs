// @ts-check
import { serve } from '../../worker/threads/serve.mjs';

serve({
  /**
   * Undefined if the text is not valid JSON. The value is wrapped, because it may have any fields.
   * @param {{ text: string }} order
   */
  parse({ text }) {
    try {
      return { value: JSON.parse(text) };
    } catch {
      return undefined;
    }
  },
});
