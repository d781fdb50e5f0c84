import { mount } from './mount.tsx';
import './frame/frame.css';

const element = document.querySelector('#app');
if (element instanceof HTMLElement) mount(element);
