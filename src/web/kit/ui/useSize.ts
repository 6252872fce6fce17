import { useEffect, useRef, useState } from 'react';

/** The element whose size is followed, and its size. */
export function useSize() {
  const box = useRef<HTMLElement>(null);
  const [size, setSize] = useState({ width: 900, height: 500 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const follow = () =>
      setSize((known) => {
        const { clientWidth: width, clientHeight: height } = element;
        return known.width === width && known.height === height ? known : { width, height };
      });
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, size] as const;
}
