import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const AT = '2026-01-02T03:04:05.678Z';
const LOGO = { type: 'image/png', data: 'AAAA', digest: 'one' };
const PLAIN = { app_name: '', tagline: '', colors: {}, colors_dark: {} };

describeEachStore('stored branding', (fresh) => {
  const repository = async () => createRepositories(await fresh.migrated()).branding;

  it('is empty at first', async () => {
    const branding = await repository();
    expect(await branding.get()).toBeUndefined();
    expect(await branding.images()).toEqual([]);
    expect(await branding.image('logo')).toBeUndefined();
  });

  it('keeps fields that are not given', async () => {
    const branding = await repository();
    await branding.save({ app_name: 'Harbour', colors: { accent: '#112233' } }, {}, AT);
    await branding.save({ tagline: 'Mind the gap' }, {}, AT);
    expect(await branding.get()).toEqual({
      ...PLAIN,
      app_name: 'Harbour',
      colors: { accent: '#112233' },
      tagline: 'Mind the gap',
    });
  });

  it('stores, replaces, keeps and removes each image separately', async () => {
    const branding = await repository();
    await branding.save({}, { logo: LOGO, favicon: LOGO }, AT);
    await branding.save({}, { logo: { ...LOGO, digest: 'two' } }, AT);
    expect(await branding.image('logo')).toEqual({ name: 'logo', ...LOGO, digest: 'two' });
    expect(await branding.image('favicon')).toEqual({ name: 'favicon', ...LOGO });
    await branding.save({}, { logo: null, login_image: null }, AT);
    expect(await branding.images()).toEqual([{ name: 'favicon', digest: 'one' }]);
  });

  it('is cleared with its images', async () => {
    const branding = await repository();
    await branding.save({ app_name: 'Harbour' }, { logo: LOGO }, AT);
    await branding.clear();
    expect(await branding.get()).toBeUndefined();
    expect(await branding.images()).toEqual([]);
  });
});
