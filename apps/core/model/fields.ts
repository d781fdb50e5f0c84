import { z } from 'zod';

/** Ids are 32-bit in PostgreSQL; a larger number is a bad request, not a crash. */
export const Id = z.int().min(1).max(2_147_483_647);

/** ISO 8601 UTC with `Z`. */
export const Instant = z.iso.datetime();

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/u;

/** They reorder or hide what people read (UAX #9). Joiners stay: scripts and emoji need them. */
const INVISIBLE = /[\p{Bidi_Control}\u200b\u2060\ufeff]/u;

/** Options of a `max` that stops the checks after it: they never see text that is too long. */
export const ENDS = { abort: true } as const;

/** One line of text without control characters or surrounding spaces. */
export const line = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max, ENDS)
    .refine((text) => !CONTROL_CHARACTERS.test(text), 'Must not contain control characters')
    .refine((text) => !INVISIBLE.test(text), 'Must not contain invisible characters')
    .refine((text) => text === text.trim(), 'Must not start or end with a space');

type Shape = Readonly<Record<string, z.ZodType>>;
type WithoutDefaults<S extends Shape> = {
  [Name in keyof S]: S[Name] extends z.ZodDefault<infer Inner extends z.ZodType> ? Inner : S[Name];
};

/** The same fields without their defaults, as a patch takes them. */
export function withoutDefaults<S extends Shape>(shape: S): WithoutDefaults<S> {
  const unwrapped = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodDefault ? field.unwrap() : field,
  ]);
  return Object.fromEntries(unwrapped) as WithoutDefaults<S>; // one entry for each field
}

/** The fields of a row that the shape names. */
export function pickFields<Name extends string, Row extends Readonly<Record<Name, unknown>>>(
  row: Row,
  shape: Readonly<Record<Name, z.ZodType>>,
): Pick<Row, Name> {
  const names = Object.keys(shape) as Name[];
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>; // one entry for each name
}
