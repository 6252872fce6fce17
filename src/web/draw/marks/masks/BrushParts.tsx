/** What the page loads when masks are painted or shown: one file of code. */
export { BrushLayer } from './BrushLayer.tsx';
export { BrushPanel } from '../panel/BrushPanel.tsx';
