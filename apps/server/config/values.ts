import { z } from 'zod';

export function text() {
  return z.string();
}

const SECRET = { is_secret: true };

/** Marks a variable whose value is never shown. */
export function secret<Check extends z.ZodType>(check: Check): Check {
  return check.meta(SECRET);
}

export function isSecret(check: z.ZodType): boolean {
  return check.meta()?.['is_secret'] === true;
}

export function flag() {
  const words: Record<string, boolean> = {
    true: true,
    '1': true,
    yes: true,
    on: true,
    false: false,
    '0': false,
    no: false,
    off: false,
  };
  return z
    .string()
    .refine((word) => word.toLowerCase() in words, 'must be true or false')
    .transform((word) => words[word.toLowerCase()] === true);
}

export function integer(min: number, max: number, or_zero = false) {
  const fits = (value: number) => (value >= min && value <= max) || (or_zero && value === 0);
  return z
    .string()
    .refine(
      (digits) => /^\d{1,16}$/.test(digits) && fits(Number(digits)),
      `must be ${or_zero ? '0 or ' : ''}a whole number from ${min} to ${max}`,
    )
    .transform(Number);
}

export function list(isItem: (item: string) => boolean, message: string) {
  return z
    .string()
    .transform((items) =>
      items
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .refine((items) => items.every(isItem), message);
}

export function oneOf<const Words extends [string, ...string[]]>(...words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}

/** JSON of the given shape. */
export function json<Shape extends z.ZodType>(shape: Shape, message: string) {
  return z.string().transform((text, context): z.infer<Shape> => {
    const parsed = shape.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRootPath(path: string): boolean {
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  return (
    /^(\/.*)?$/.test(path) && segments.every((one) => /^[A-Za-z0-9._~-]+$/.test(one) && !/^\.\.?$/.test(one))
  );
}

export function isDatabaseUrl(url: string): boolean {
  return /^(postgres|postgresql):\/\/./.test(url) || /^file:/.test(url) || !url.includes('://');
}

/** An origin, optionally with a path. */
export function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !/[?#]/.test(url);
}

export function isLdapUrl(url: string): boolean {
  if (!/^ldaps?:\/\//.test(url) || !URL.canParse(url)) return false;
  const { hostname, username, password, pathname, search, hash } = new URL(url);
  return hostname !== '' && `${username}${password}${search}${hash}` === '' && /^\/?$/.test(pathname);
}
