// One path, one transfer, one start-up beside another.

import type { View } from "../view.ts";

export const explore: View = {
  name: "explore",
  title: "Explore",
  show(root) {
    root.append("");
  },
};
