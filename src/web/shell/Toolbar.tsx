import {
  Circle,
  Contrast,
  FlipHorizontal2,
  FlipVertical2,
  Grid2x2Plus,
  Hand,
  Keyboard,
  Maximize,
  Moon,
  PanelLeft,
  PanelRight,
  Pipette,
  RectangleHorizontal,
  RotateCcw,
  RotateCw,
  Ruler,
  ScrollText,
  Search,
  SquareDashed,
  SunMoon,
  Text,
  TriangleRight,
  Undo2,
  ZoomIn,
} from 'lucide-react';
import { CommandButton } from './CommandButton.tsx';
import { LayoutMenu } from './LayoutMenu.tsx';
import { LinkMenu } from './LinkMenu.tsx';
import styles from './Toolbar.module.css';
import { WindowMenu } from './WindowMenu.tsx';

export function Toolbar() {
  return (
    <div className={styles.toolbar} role="toolbar" aria-label="Tools">
      <span className={styles.name}>negato</span>
      <div className={styles.group}>
        <CommandButton id="panel.explorer" icon={PanelLeft} />
      </div>
      <div className={styles.group}>
        <CommandButton id="tool.window" icon={Contrast} />
        <CommandButton id="tool.pan" icon={Hand} />
        <CommandButton id="tool.zoom" icon={ZoomIn} />
        <CommandButton id="tool.scroll" icon={ScrollText} />
        <CommandButton id="tool.roi" icon={SquareDashed} />
      </div>
      <div className={styles.group}>
        <CommandButton id="tool.length" icon={Ruler} />
        <CommandButton id="tool.angle" icon={TriangleRight} />
        <CommandButton id="tool.ellipse" icon={Circle} />
        <CommandButton id="tool.rectangle" icon={RectangleHorizontal} />
        <CommandButton id="tool.probe" icon={Pipette} />
      </div>
      <div className={styles.group}>
        <WindowMenu />
        <CommandButton id="view.invert" icon={SunMoon} />
      </div>
      <div className={styles.group}>
        <CommandButton id="view.fit" icon={Maximize} />
        <CommandButton id="view.actual" icon="1:1" />
        <CommandButton id="view.rotateLeft" icon={RotateCcw} />
        <CommandButton id="view.rotateRight" icon={RotateCw} />
        <CommandButton id="view.flipHorizontal" icon={FlipHorizontal2} />
        <CommandButton id="view.flipVertical" icon={FlipVertical2} />
        <CommandButton id="view.reset" icon={Undo2} />
      </div>
      <div className={styles.group}>
        <LayoutMenu icon={Grid2x2Plus} />
        <LinkMenu />
        <CommandButton id="view.texts" icon={Text} />
      </div>
      <div className={`${styles.group} ${styles.end}`}>
        <CommandButton id="panel.palette" icon={Search} />
        <CommandButton id="panel.keys" icon={Keyboard} />
        <CommandButton id="panel.theme" icon={Moon} />
        <CommandButton id="panel.inspector" icon={PanelRight} />
      </div>
    </div>
  );
}
