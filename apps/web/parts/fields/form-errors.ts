import type { Accessor } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { reasonOf } from '../trouble.tsx';

export interface FormErrorOptions<Field extends string> {
  /** The form's fields, by the paths that the gateway names them with. */
  readonly fields: Accessor<readonly Field[]>;
  /** The field that a refusal with this code is about, if it is about one. */
  readonly fieldOf?: (code: string) => Field | undefined;
}

export interface FormErrors<Field extends string> {
  /** What the gateway refused at this field, or at a part of it. */
  errorAt(field: Field): string | undefined;
  /** A refusal that is about no field of the form. */
  readonly error: Accessor<unknown>;
}

/** Sorts what the gateway refused into the form's fields and the rest. */
export function createFormErrors<Field extends string>(
  refused: Accessor<unknown>,
  { fields, fieldOf = () => undefined }: FormErrorOptions<Field>,
): FormErrors<Field> {
  const { t } = useApp();
  function errorAt(field: Field): string | undefined {
    const refusal = refused();
    if (!(refusal instanceof ClientError)) return undefined;
    const found = refusal.errors.find(({ path }) => path === field || path.startsWith(`${field}.`));
    if (found) return t.complaint(found.message);
    const is_about = refusal.errors.length === 0 && fieldOf(refusal.code) === field;
    return is_about ? reasonOf(refusal, t) : undefined;
  }
  return {
    errorAt,
    error: () => (fields().some((field) => errorAt(field) !== undefined) ? undefined : refused()),
  };
}
