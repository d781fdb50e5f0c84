import { createEffect, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { paletteOf, type Scheme } from '../../branding/colors.ts';
import { paint } from '../../branding/kept.ts';
import { Brand } from '../../parts/brand.tsx';
import { StatusDot } from '../../servers/status/dot.tsx';
import type { BrandingDraft } from './draft.ts';
import { shownImage } from './image.tsx';

interface Props {
  readonly draft: BrandingDraft;
  readonly scheme: Scheme;
}

/** A small, non-interactive preview of the sign-in screen and the sidebar. */
export function BrandingPreview(props: Props) {
  const { t } = useApp();
  return (
    <div
      class="branding-preview"
      data-palette
      data-scheme={props.scheme}
      role="img"
      aria-label={t('branding_preview_of', { scheme: t(`theme_${props.scheme}`) })}
      ref={(element) =>
        createEffect(() => {
          const { colors, colors_dark } = props.draft;
          paint(element, { colors: paletteOf(colors), colors_dark: paletteOf(colors_dark) });
        })
      }
    >
      <RailMock draft={props.draft} />
      <DoorMock draft={props.draft} />
    </div>
  );
}

type MockProps = Pick<Props, 'draft'>;

function useBrand(props: MockProps) {
  const { client } = useApp();
  return {
    name: () => props.draft.app_name.trim() || 'Sallyport',
    logo: () => shownImage(client, props.draft.logo),
    picture: () => shownImage(client, props.draft.login_image),
  };
}

const SERVERS = [
  ['harbor', 'online'],
  ['lighthouse', 'online'],
  ['quay', 'offline'],
] as const;

function RailMock(props: MockProps) {
  const { t } = useApp();
  const brand = useBrand(props);
  return (
    <div class="mock-rail" aria-hidden="true">
      <Brand name={brand.name()} logo={brand.logo()} />
      <p class="mock-soft">{t('servers')}</p>
      <For each={SERVERS}>
        {([name, status], at) => (
          <p class="mock-server" classList={{ 'mock-chosen': at() === 0 }}>
            <StatusDot status={status} /> {name}
          </p>
        )}
      </For>
    </div>
  );
}

function DoorMock(props: MockProps) {
  const { t } = useApp();
  const brand = useBrand(props);
  return (
    <div class="mock-door" aria-hidden="true">
      <Show when={brand.picture()}>{(address) => <img class="mock-picture" src={address()} alt="" />}</Show>
      <div class="mock-card">
        <Brand name={brand.name()} logo={brand.logo()} />
        <Show when={props.draft.tagline}>
          <p class="mock-soft">{props.draft.tagline}</p>
        </Show>
        <p class="mock-label">{t('username')}</p>
        <p class="mock-input">ada</p>
        <p class="mock-button">{t('sign_in')}</p>
        <p class="mock-link">{t('language')}</p>
      </div>
    </div>
  );
}
