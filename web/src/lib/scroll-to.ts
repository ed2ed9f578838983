/** Scrolling within one box, without moving those around it. */

/** How far below its upper edge something is shown. */
const SHARE = 0.25;
const CLOSE_PIXELS = 1;
/** What the browser has not laid out yet changes its height when it comes into sight: it takes some frames to get there. */
const MOST_FRAMES = 12;
const QUIET_FRAMES = 3;

/** Shows an element of the box. */
export function scrollTo(box: HTMLElement, element: Element): void {
  let quiet = 0;
  const step = (left: number) => {
    const offset = element.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight * SHARE;
    const before = box.scrollTop;
    box.scrollTop += offset;
    quiet = Math.abs(box.scrollTop - before) <= CLOSE_PIXELS ? quiet + 1 : 0;
    if (left > 0 && quiet < QUIET_FRAMES) requestAnimationFrame(() => step(left - 1));
  };
  step(MOST_FRAMES);
}
