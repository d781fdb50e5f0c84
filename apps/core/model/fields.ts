import { z } from 'zod';

/** Database ids are 32-bit in PostgreSQL; a larger number is a bad request, not a crash. */
export const Id = z.int().min(1).max(2_147_483_647);

/** ISO 8601 UTC with `Z`. */
export const Instant = z.iso.datetime();

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/u;

/** One line of text: no control characters, no space at either end. */
export const line = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine((text) => !CONTROL_CHARACTERS.test(text), 'Must not contain control characters')
    .refine((text) => text === text.trim(), 'Must not start or end with a space');
