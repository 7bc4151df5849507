namespace muster {
extern const char placeholder_group = 0;
}
