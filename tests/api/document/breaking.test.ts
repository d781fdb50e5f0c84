import { expect, it } from 'vitest';
import { breakingChanges } from '../../support/openapi/breaking.ts';
import type { ApiDocument } from '../../support/openapi/released.ts';

const text = { type: 'string' };
const number = { type: 'integer' };
const oneOf = (...values: readonly string[]) => ({ ...text, enum: values });
const json = (properties: object, required: readonly string[]) => ({
  content: { 'application/json': { schema: { type: 'object', properties, required } } },
});
const sorted = (required: boolean) => [{ name: 'sort', in: 'query', required, schema: text }];

const events = (...values: readonly string[]) => ({ ...oneOf(...values), 'x-extensible': true });
const ANSWER = { id: number, kind: oneOf('p', 'q'), note: text, event: events('a', 'b') };
const INPUT = { name: text, mode: oneOf('m', 'n') };
const NONE = { 404: { description: 'Unknown' } };
const answering = (properties: object, required = Object.keys(ANSWER)) => ({
  responses: { 200: { description: 'OK', ...json(properties, required) }, ...NONE },
});
const taking = (properties: object, required = ['name']) => ({ requestBody: json(properties, required) });

const BEFORE = {
  security: [{ bearer: [] }, { basic: [] }],
  parameters: sorted(false),
  ...taking(INPUT),
  ...answering(ANSWER),
};

/** What is changed in one operation; undefined: it is removed. */
const BREAKING: Readonly<Record<string, object | undefined>> = {
  'the operation is removed': undefined,
  'a status is removed': { responses: NONE },
  'a field is removed from the response': answering({ id: number, kind: ANSWER.kind, event: ANSWER.event }, [
    'id',
    'kind',
    'event',
  ]),
  'a field of the response becomes optional': answering(ANSWER, ['id', 'kind', 'event']),
  'a field of the response changes its type': answering({ ...ANSWER, id: text }),
  'an enum of the response grows': answering({ ...ANSWER, kind: oneOf('p', 'q', 'r') }),
  'a field of the request becomes required': taking(INPUT, ['name', 'mode']),
  'a field of the request changes its type': taking({ ...INPUT, name: number }),
  'an enum of the request shrinks': taking({ ...INPUT, mode: oneOf('m') }),
  'a parameter becomes required': { parameters: sorted(true) },
  'a new parameter is required': { parameters: [...sorted(false), { ...sorted(true)[0], name: 'by' }] },
  'an alternative of the security is removed': { security: [{ bearer: [] }] },
  'the operationId changes': { operationId: 'another' },
};

const HARMLESS: Readonly<Record<string, object>> = {
  'the response has a new field': answering({ ...ANSWER, more: text }),
  'an extensible enum of the response grows': answering({ ...ANSWER, event: events('a', 'b', 'c') }),
  'a new status is possible': { responses: { ...BEFORE.responses, 409: { description: 'Conflict' } } },
  'a new field of the request is optional': taking({ ...INPUT, more: text }),
  'a field of the request becomes optional': taking(INPUT, []),
  'an enum of the request grows': taking({ ...INPUT, mode: oneOf('m', 'n', 'o') }),
  'a new parameter is optional': { parameters: [...sorted(false), { ...sorted(false)[0], name: 'by' }] },
};

const pathOf = (what: string) => `/${what.toLowerCase().replaceAll(' ', '-')}`;

/** One operation for each case. */
function documentOf(cases: Readonly<Record<string, object | undefined>>): ApiDocument {
  const paths = Object.entries(cases).flatMap(([what, changed]) =>
    changed ? [[pathOf(what), { put: { operationId: pathOf(what), ...BEFORE, ...changed } }] as const] : [],
  );
  const scheme = (name: string) => ({ type: 'http', scheme: name });
  return {
    openapi: '3.1.0',
    info: { title: 'Small', version: '1.0.0' },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { bearer: scheme('bearer'), basic: scheme('basic') } },
  };
}

const ALL = { ...BREAKING, ...HARMLESS };
const unchanged = Object.fromEntries(Object.keys(ALL).map((what) => [what, {}]));

it('A change of the API is refused if it breaks clients, and no other', async () => {
  const changes = await breakingChanges(documentOf(unchanged), documentOf(ALL));
  const refused = Object.keys(ALL).filter((what) =>
    changes.some((change) => change.startsWith(`#/paths/~1${pathOf(what).slice(1)}`)),
  );
  expect(refused).toEqual(Object.keys(BREAKING));
});
