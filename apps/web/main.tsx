import { mount } from './mount.tsx';

const element = document.querySelector('#app');
if (element instanceof HTMLElement) mount(element);
