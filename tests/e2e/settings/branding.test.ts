import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Branding } from '#core/model/settings/branding.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type Actor,
  describeEachGateway,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { blackPng, dataUrl, metadataOf, plainImage } from '../../support/pictures.ts';

const PLAIN: Branding = {
  app_name: 'Sallyport',
  tagline: '',
  colors: {},
  colors_dark: {},
  logo: null,
  login_image: null,
  favicon: null,
};

const get = async (actor: Actor) => (await actor.call<Branding>('GET', '/api/branding')).body;
const put = (actor: Actor, input: object) =>
  actor.call<Branding & { code: string }>('PUT', '/api/branding', input);

async function bytesOf(response: Response) {
  return new Uint8Array(await response.arrayBuffer());
}

describeEachGateway('Branding', (gateway) => {
  beforeEach(() => gateway().admin.call('DELETE', '/api/branding'));
  const shown = () => get(gateway().anonymous);

  it('is the default for everybody until it is changed', async () => {
    expect(await shown()).toEqual(PLAIN);
  });

  // The other instances hear of it a moment later.
  it.skipIf(IS_BALANCED)(
    'takes name, tagline and colors from administrators, and keeps what is absent',
    async () => {
      const { admin } = gateway();
      const colors = { accent: '#112233', text: '#ABCDEF' };
      expect(await put(admin, { app_name: ' Harbour ', colors })).toMatchObject({ status: 200 });
      await put(admin, { tagline: 'Mind the gap', colors_dark: { background: '#000000' } });
      expect(await shown()).toEqual({
        ...PLAIN,
        app_name: 'Harbour',
        tagline: 'Mind the gap',
        colors,
        colors_dark: { background: '#000000' },
      });
      await put(admin, { app_name: '', colors: {} });
      expect(await shown()).toMatchObject({ app_name: 'Sallyport', colors: {}, tagline: 'Mind the gap' });
    },
  );

  // The other instances hear of it a moment later.
  it.skipIf(IS_BALANCED)('serves images under an address that changes with their content', async () => {
    const { admin, anonymous } = gateway();
    const { body } = await put(admin, { logo: dataUrl(await plainImage('jpeg'), 'image/jpeg') });
    expect(body.logo).toMatch(/^api\/branding\/images\/logo\?v=[\w-]{22}$/);
    const response = await anonymous.fetch(`/${body.logo}`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await metadataOf(await bytesOf(response))).toMatchObject({ format: 'png', height: 128 });
    const any = await anonymous.fetch('/api/branding/images/logo');
    expect([any.status, any.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  });

  it('keeps an image whose address is sent back, and removes one that is sent as null', async () => {
    const { admin, anonymous } = gateway();
    const { body } = await put(admin, { favicon: dataUrl(await plainImage('png', 20, 20)) });
    expect((await put(admin, { ...body, app_name: 'Harbour' })).body).toEqual({
      ...body,
      app_name: 'Harbour',
    });
    expect((await put(admin, { favicon: null })).body).toEqual({ ...PLAIN, app_name: 'Harbour' });
    const gone = await anonymous.call('GET', `/${body.favicon}`);
    expect([gone.status, gone.body]).toMatchObject([404, { code: 'image_not_found' }]);
  });

  it.each([
    ['a color by its name', { colors: { accent: 'red' } }, 'colors.accent'],
    ['a color with more behind it', { colors: { accent: '#112233;x' } }, 'colors.accent'],
    ['a short color', { colors_dark: { text: '#123' } }, 'colors_dark.text'],
    ['a token that there is not', { colors: { shadow: '#112233' } }, 'colors.shadow'],
    ['a name of two lines', { app_name: 'a\nb' }, 'app_name'],
    ['a name that turns round', { app_name: 'a\u202eb' }, 'app_name'],
    ['a name of 41 characters', { app_name: 'x'.repeat(41) }, 'app_name'],
    ['an address elsewhere', { logo: 'https://a.example/logo.png' }, 'logo'],
    ['the address of another image', { logo: 'api/branding/images/favicon?v=x' }, 'logo'],
    ['an unknown field', { css: 'body{}' }, 'css'],
  ])('refuses %s: 422, and nothing changes', async (_what, bad, path) => {
    const { status, body } = await put(gateway().admin, { tagline: 'changed', ...bad });
    const errors = (body as unknown as { errors: { path: string }[] }).errors;
    expect([status, body.code]).toEqual([422, 'validation']);
    expect(errors.map((error) => error.path)).toEqual([path]);
    expect(await shown()).toEqual(PLAIN);
  });

  it.each([
    ['an SVG', `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg"/>')}`],
    ['a bomb', dataUrl(blackPng(30_000, 30_000))],
    ['no base64', 'data:image/png;base64,%%%'],
    ['nothing', 'data:image/png;base64,'],
  ])('refuses %s as image_unreadable, and nothing changes', async (_what, logo) => {
    const { status, body } = await put(gateway().admin, { app_name: 'changed', logo });
    expect([status, body.code]).toEqual([422, 'image_unreadable']);
    expect(await shown()).toEqual(PLAIN);
  });

  it('refuses an image of more than 2 MiB before decoding it', async () => {
    const { status, body } = await put(gateway().admin, { logo: dataUrl(new Uint8Array(2_200_000)) });
    expect([status, body.code]).toEqual([422, 'validation']);
  });

  // The other instances hear of it a moment later.
  it.skipIf(IS_BALANCED)('returns to the default when it is reset, images too', async () => {
    const { admin } = gateway();
    await put(admin, { app_name: 'Harbour', logo: dataUrl(await plainImage('png', 20, 20)) });
    expect((await admin.call('DELETE', '/api/branding')).status).toBe(204);
    expect(await shown()).toEqual(PLAIN);
  });

  it('is changed only by administrators', async () => {
    const user = await gateway().user({ username: 'painter' });
    expect((await put(user, { app_name: 'Mine' })).body.code).toBe('admin_only');
    expect((await user.call('DELETE', '/api/branding')).body['code']).toBe('admin_only');
  });

  it('is audited with the names of what was changed', async () => {
    const { admin } = gateway();
    await put(admin, {
      app_name: 'Harbour',
      tagline: '',
      logo: dataUrl(await plainImage('png', 20, 20)),
      favicon: null,
    });
    const { body } = await admin.call<{ detail: string }[]>(
      'GET',
      '/api/auth/audit?action=branding_update&limit=1',
    );
    expect(body[0]?.detail).toBe('app_name, logo');
  });
});

describe.each(DIALECTS)('Branding of two gateways on one database (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ database_url: database.url });
    other = await startGateway({ database_url: database.url, untouched: true });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  it('appears at the other within a few seconds, and its new image at once', async () => {
    const { body } = await put(one.admin, {
      app_name: 'Harbour',
      logo: dataUrl(await plainImage('png', 20, 20)),
    });
    const image = await other.anonymous.fetch(`/${body.logo}`);
    expect([image.status, image.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('immutable'),
    ]);
    await eventually(async () => expect(await get(other.anonymous)).toEqual(body));
    await put(one.admin, { logo: dataUrl(await plainImage('png', 30, 30)) });
    await eventually(async () => expect((await get(other.anonymous)).logo).not.toBe(body.logo));
    const { logo } = await get(other.anonymous);
    expect(await metadataOf(await bytesOf(await other.anonymous.fetch(`/${logo}`)))).toMatchObject({
      width: 30,
    });
  });

  it('merges concurrent changes at both', async () => {
    const at_other = other.actor(one.admin.token);
    await Promise.all([put(one.admin, { app_name: 'Quay' }), put(at_other, { tagline: 'Ahoy' })]);
    await eventually(async () =>
      expect(await get(one.anonymous)).toMatchObject({ app_name: 'Quay', tagline: 'Ahoy' }),
    );
  });
});
