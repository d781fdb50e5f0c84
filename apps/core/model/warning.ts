import { z } from 'zod';

export const Phrase = z.object({ code: z.string(), values: z.record(z.string(), z.string()) });
export type Phrase = z.infer<typeof Phrase>;

/** What an import or a restore left out or changed. */
export const TOLD_WARNINGS = {
  warnings: z.array(z.string()),
  warning_phrases: z
    .array(Phrase.nullable())
    .describe('What each of `warnings` says, for translations; null where there is none'),
};
export type ToldWarnings = z.infer<z.ZodObject<typeof TOLD_WARNINGS>>;
