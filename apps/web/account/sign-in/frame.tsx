import { createSignal, For, type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { imageUrl, useBranding } from '../../branding/branding.ts';
import { GatewayBrand } from '../../branding/gateway-brand.tsx';
import { LANGUAGES } from '../../i18n/languages.ts';
import './frame.css';

/** The frame of the sign-in and password-change screens. */
export function SignInFrame(props: ParentProps<{ title: string }>) {
  const { client } = useApp();
  const branding = useBranding();
  const [broken, setBroken] = createSignal<string>();
  const picture = () => {
    const address = imageUrl(client, branding().login_image);
    return address === broken() ? undefined : address;
  };
  return (
    <main class="sign-in-page" classList={{ 'sign-in-pictured': picture() !== undefined }}>
      <Show when={picture()}>
        {(address) => (
          <img class="sign-in-picture" src={address()} alt="" onError={() => setBroken(address())} />
        )}
      </Show>
      <div class="sign-in-place">
        <section class="sign-in-card" aria-labelledby="sign-in-title">
          <div>
            <GatewayBrand large />
            <Show when={branding().tagline}>
              <p class="sign-in-tagline">{branding().tagline}</p>
            </Show>
          </div>
          <h1 id="sign-in-title" class="sign-in-title">
            {props.title}
          </h1>
          {props.children}
        </section>
        <LanguageChoice />
      </div>
    </main>
  );
}

function LanguageChoice() {
  const { preferences, t } = useApp();
  return (
    <div class="languages">
      <fieldset>
        <legend class="visually-hidden">{t('language')}</legend>
        <For each={LANGUAGES}>
          {(language) => (
            <button
              type="button"
              class="link-button"
              lang={language.code}
              aria-pressed={preferences.values.language === language.code}
              onClick={() => preferences.set('language', language.code)}
            >
              {language.name}
            </button>
          )}
        </For>
      </fieldset>
    </div>
  );
}
